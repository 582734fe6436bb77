package io.quarkiverse.redisbulkhead.runtime.store.script;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The text of a script and the digest that Redis knows it by. A script is put together from the files beside this class;
 * their comments stay with us.
 *
 * @param text what Redis is given
 * @param sha1 its digest, 40 hexadecimal digits
 */
record LuaScript(String text, String sha1) {

    /** Carries out acquires, releases, cancellations and renewals. */
    static LuaScript batch() {
        return load("keys", "uncontended", "bulkhead", "acquire", "release", "renew", "batch");
    }

    /**
     * One of the other scripts.
     *
     * @param name of its last part
     */
    static LuaScript of(String name) {
        return load("keys", "bulkhead", name);
    }

    private static LuaScript load(String... parts) {
        return withText(Stream.of(parts).map(LuaScript::read).collect(Collectors.joining("\n")));
    }

    private static String read(String part) {
        String file = part + ".lua";
        try (InputStream in = LuaScript.class.getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalStateException("The script " + file + " is missing beside " + LuaScript.class.getName()
                        + "; a native executable must include it as a resource");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("The script " + file + " cannot be read", e);
        }
    }

    static LuaScript withText(String source) {
        String text = source.replaceAll("(?m)^\\s*--.*\\R?", "").strip() + "\n";
        try {
            byte[] digest = MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8));
            return new LuaScript(text, HexFormat.of().formatHex(digest));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java platform has SHA-1", e);
        }
    }
}
