package io.quarkiverse.redisbulkhead.runtime.store.script;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * The text of a script and the digest that Redis knows it by. The comments stay with us. Each script begins with what all
 * of them share.
 *
 * @param text what Redis is given
 * @param sha1 its digest, 40 hexadecimal digits
 */
record LuaScript(String text, String sha1) {

    private static final String SHARED = read("bulkhead.lua");

    /**
     * Reads a script that lies beside this class.
     *
     * @param file its file name
     */
    static LuaScript load(String file) {
        return of(SHARED + read(file));
    }

    private static String read(String file) {
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

    static LuaScript of(String source) {
        String text = source.replaceAll("(?m)^\\s*--.*\\R?", "").strip() + "\n";
        try {
            byte[] digest = MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8));
            return new LuaScript(text, HexFormat.of().formatHex(digest));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java platform has SHA-1", e);
        }
    }
}
