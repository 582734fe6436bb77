package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.util.ArrayList;
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

    private final LuaScript script = LuaScript.of("share");

    /**
     * Opens nothing yet.
     *
     * @param topology knows where Redis is; closed together with this store
     */
    public ScriptShareStore(Topology topology) {
        super(topology);
    }

    @Override
    protected Future<Position> sync(BulkheadKeys keys, ServerCall.Connection connection, Statement statement) {
        return run(keys, connection, ShareCodec.sync(inbox().channel(), statement))
                .map(reply -> ShareCodec.position(reply.toString()));
    }

    @Override
    protected Future<Integer> revoke(BulkheadKeys keys, ServerCall.Connection connection, String instance, String permitId,
            int permits) {
        return run(keys, connection, ShareCodec.revoke(instance, permitId, permits)).map(Response::toInteger);
    }

    @Override
    protected Future<Boolean> resize(BulkheadKeys keys, ServerCall.Connection connection, int limit) {
        return run(keys, connection, ShareCodec.resize(limit)).map(reply -> reply.toInteger() == 1);
    }

    @Override
    protected Future<ShareOverview> look(BulkheadKeys keys, ServerCall.Connection connection, int most) {
        return run(keys, connection, ShareCodec.look()).map(reply -> {
            long micros = TimeUnit.SECONDS.toMicros(reply.get(0).toLong()) + reply.get(1).toLong();
            List<String> fields = new ArrayList<>();
            reply.get(2).forEach(each -> fields.add(each.toString()));
            return ShareCodec.overview(keys.bulkhead(), micros, fields, most);
        });
    }

    private Future<Response> run(BulkheadKeys keys, ServerCall.Connection connection, List<byte[]> args) {
        return connection.run(script, keys.data(), args);
    }
}
