package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Function;

import io.quarkiverse.redisbulkhead.runtime.store.machine.ShareMachine;
import io.quarkiverse.redisbulkhead.runtime.store.redis.Topology.Connection;
import io.vertx.core.Future;
import io.vertx.redis.client.Response;

/**
 * Each operation is one step of {@code share.lua}, whose header documents keys, arguments and replies.
 * <p>
 * The idea of the counting semaphore of <em>Redis in Action</em>, section 6.3, with its sources of error taken out: time is the
 * server's and not the clients', and counting and adding are one atomic script. Unlike the book, Redis knows instances, not
 * calls, and keeps the queue of those that wait.
 * <p>
 * A call goes on within the same request when the server does not know the script, or another node has the slot.
 */
final class ScriptSteps implements RedisShareStore.Steps {

    private static final String FILE = "share.lua";

    private final String script = script();
    private final String sha1 = BulkheadKeys.digest("SHA-1", script.getBytes(StandardCharsets.UTF_8));

    /** What Redis is given: the script that lies beside this class. The comments stay with us. */
    static String script() {
        try (InputStream in = ScriptSteps.class.getResourceAsStream(FILE)) {
            if (in == null) {
                throw new IllegalStateException("The script " + FILE + " is missing beside " + ScriptSteps.class.getName()
                        + "; a native executable must include it as a resource");
            }
            // Each instance does this at its start, where a regular expression takes milliseconds.
            StringBuilder text = new StringBuilder();
            for (String line : new String(in.readAllBytes(), StandardCharsets.UTF_8).split("\n")) {
                String code = line.strip();
                if (!code.isEmpty() && !code.startsWith("--")) {
                    text.append(line).append('\n');
                }
            }
            return text.toString();
        } catch (IOException e) {
            throw new UncheckedIOException("The script " + FILE + " cannot be read", e);
        }
    }

    @Override
    public <T> Future<T> step(BulkheadKeys keys, Connection connection, List<String> args, Function<Response, T> reply,
            Function<ShareMachine, T> machine) {
        return connection.run(script, sha1, keys.data(), args).map(reply);
    }
}
