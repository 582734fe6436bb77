package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.quarkiverse.redisbulkhead.runtime.store.Position;
import io.quarkiverse.redisbulkhead.runtime.store.ShareOverview;
import io.quarkiverse.redisbulkhead.runtime.store.Statement;
import io.vertx.core.Future;
import io.vertx.redis.client.Response;

/**
 * Keeps shares in Redis: each operation is one step of {@code share.lua}, whose header documents keys, arguments and replies.
 * <p>
 * The idea of the counting semaphore of <em>Redis in Action</em>, section 6.3, with its sources of error taken out: time is the
 * server's and not the clients', and counting and adding are one atomic script. Unlike the book, Redis knows instances, not
 * calls, and keeps the queue of those that wait.
 * <p>
 * A call goes on within the same request when the server does not know the script, or another node has the slot.
 */
public final class ScriptShareStore extends RedisShareStore {

    private static final String FILE = "share.lua";

    private final String script = script();
    private final String sha1 = sha1(script);

    /**
     * Opens nothing yet.
     *
     * @param topology knows where Redis is; closed together with this store
     */
    public ScriptShareStore(Topology topology) {
        super(topology);
    }

    /** What Redis is given: the script that lies beside this class. The comments stay with us. */
    static String script() {
        try (InputStream in = ScriptShareStore.class.getResourceAsStream(FILE)) {
            if (in == null) {
                throw new IllegalStateException("The script " + FILE + " is missing beside " + ScriptShareStore.class.getName()
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

    static String sha1(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java platform has SHA-1", e);
        }
    }

    private Future<Response> run(BulkheadKeys keys, Connection connection, List<byte[]> args) {
        return connection.run(script, sha1, keys.data(), args);
    }

    @Override
    Future<Position> sync(BulkheadKeys keys, Connection connection, Statement statement) {
        return run(keys, connection, ShareCodec.sync(inbox().ownName(), statement))
                .map(reply -> ShareCodec.position((List<?>) value(reply)));
    }

    @Override
    Future<Integer> revoke(BulkheadKeys keys, Connection connection, String instance, String permitId, int permits) {
        return run(keys, connection, ShareCodec.revoke(instance, permitId, permits)).map(Response::toInteger);
    }

    @Override
    Future<Boolean> resize(BulkheadKeys keys, Connection connection, int limit) {
        return run(keys, connection, ShareCodec.resize(limit)).map(reply -> reply.toInteger() == 1);
    }

    @Override
    Future<ShareOverview> look(BulkheadKeys keys, Connection connection, int most) {
        return run(keys, connection, ShareCodec.look()).map(reply -> {
            long micros = TimeUnit.SECONDS.toMicros(reply.get(0).toLong()) + reply.get(1).toLong();
            return ShareCodec.overview(keys.bulkhead(), micros, (List<?>) value(reply.get(2)), most);
        });
    }

    /** The values of a reply: {@code Long}, {@code String}, or a list of such. */
    static Object value(Response reply) {
        return switch (reply.type()) {
            case NUMBER -> reply.toLong();
            case MULTI -> reply.stream().map(ScriptShareStore::value).toList();
            default -> reply.toString();
        };
    }
}
