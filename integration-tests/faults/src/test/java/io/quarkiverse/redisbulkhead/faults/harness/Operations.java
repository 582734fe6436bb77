package io.quarkiverse.redisbulkhead.faults.harness;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import java.util.function.Predicate;

/** Recognizes the operations of a store, for a {@link Proxy}. */
public final class Operations {

    private static final String FOLDER = "/io/quarkiverse/redisbulkhead/runtime/store/redis/";

    private Operations() {
    }

    /**
     * Recognises an operation. All that {@link Store#LOCK} writes ends with {@code EXEC}, whatever it is about.
     *
     * @param name the operation, as {@code bulkhead.lua} calls it, or {@code acquire}
     */
    public static Predicate<String> of(Store store, String name) {
        if (store == Store.LOCK) {
            return sent -> sent.toLowerCase(Locale.ROOT).contains("\r\nexec\r\n");
        }
        String script = digest(text("bulkhead"));
        // An acquire has no unique word, but only its terms have an argument that starts with a line break.
        String sign = name.equals("acquire") ? "\r\n\n" : "\r\n" + name + "\r\n";
        return sent -> sent.contains(script) && sent.contains(sign);
    }

    private static String text(String script) {
        try (InputStream in = Operations.class.getResourceAsStream(FOLDER + script + ".lua")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    // The SHA-1 digest of the script without its comments.
    private static String digest(String source) {
        String sent = source.replaceAll("(?m)^\\s*--.*\\R?", "").strip() + "\n";
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-1").digest(sent.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
