package io.quarkiverse.redisbulkhead.runtime.store.script;

import java.util.List;

import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.redis.BulkheadKeys;
import io.vertx.core.Future;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Response;

/**
 * {@code batch.lua}, and where the data of bulkheads lie.
 *
 * @param script the script
 * @param keyPrefix what all keys start with
 */
record BatchScript(LuaScript script, String keyPrefix) {

    BulkheadKeys keys(BulkheadId bulkhead) {
        return new BulkheadKeys(keyPrefix, bulkhead);
    }

    /** Carries out calls of one bulkhead in their order. */
    Future<Response> run(BulkheadId bulkhead, List<? extends BatchedCall<?>> calls, RedisConnection connection) {
        BatchArguments arguments = new BatchArguments();
        calls.forEach(call -> call.write(arguments));
        return new ScriptCall(script, keys(bulkhead), arguments.all()).over(connection);
    }
}
