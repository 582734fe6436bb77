package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;

/**
 * The text of a script, which lies beside this class, and the digest that Redis knows it by. The comments stay with us.
 *
 * @param text what Redis is given
 * @param sha1 its digest, 40 hexadecimal digits
 */
record LuaScript(String text, String sha1) {

    private static final List<String> IN_TIME = List.of("WRONGTYPE", "NOSCRIPT", "OOM", "READONLY", "NOREPLICAS", "MISCONF",
            "BUSY");

    /** Loads a script that lies beside this class. */
    static LuaScript of(String name) {
        String file = name + ".lua";
        try (InputStream in = LuaScript.class.getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalStateException("The script " + file + " is missing beside " + LuaScript.class.getName()
                        + "; a native executable must include it as a resource");
            }
            return withText(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException("The script " + file + " cannot be read", e);
        }
    }

    static LuaScript withText(String source) {
        String text = withoutComments(source);
        try {
            byte[] digest = MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8));
            return new LuaScript(text, HexFormat.of().formatHex(digest));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java platform has SHA-1", e);
        }
    }

    // Each process does this at its start, where a regular expression takes milliseconds.
    private static String withoutComments(String source) {
        StringBuilder text = new StringBuilder(source.length());
        for (String line : source.split("\n")) {
            String code = line.strip();
            if (!code.isEmpty() && !code.startsWith("--")) {
                text.append(line).append('\n');
            }
        }
        return text.toString();
    }

    /** Runs the script if the server knows it. */
    Request byDigest(List<byte[]> keys, List<byte[]> args) {
        return request(Command.EVALSHA, sha1, keys, args);
    }

    /** Runs the script, and teaches the server its digest. */
    Request byText(List<byte[]> keys, List<byte[]> args) {
        return request(Command.EVAL, text, keys, args);
    }

    private static Request request(Command command, String which, List<byte[]> data, List<byte[]> args) {
        Request request = Request.cmd(command).arg(which).arg(data.size());
        for (byte[] key : data) {
            request.arg(key);
        }
        for (byte[] argument : args) {
            request.arg(argument);
        }
        return request;
    }

    /**
     * Whether a script may have changed something before it was refused. The scripts read all keys before they write, so a key
     * of a foreign type stops them in time. That the server does not want to write stops them at their first write, and none
     * later; when it is busy with another script, it did not begin this one. Other errors may come later.
     */
    static boolean mayHaveBegunBefore(ErrorReply refusal) {
        return refusal.text().contains("script") && IN_TIME.stream().noneMatch(refusal::is);
    }
}
