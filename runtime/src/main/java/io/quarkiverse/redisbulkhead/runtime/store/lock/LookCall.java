package io.quarkiverse.redisbulkhead.runtime.store.lock;

import java.util.List;
import java.util.function.Function;

import io.quarkiverse.redisbulkhead.runtime.store.redis.RedisCall;
import io.vertx.core.Future;
import io.vertx.redis.client.RedisConnection;

/**
 * Looks at a bulkhead without its lock, in one transaction that only reads.
 *
 * @param names which bulkhead
 * @param question what to find out
 * @param <T> the answer
 */
record LookCall<T>(StoredBulkhead.Names names, StepSettings settings, Function<StoredBulkhead, T> question)
        implements
            RedisCall<T> {

    @Override
    public Future<T> over(RedisConnection connection) {
        return Pipeline.send(connection, StoredBulkhead.sizes(names.keys()))
                .compose(sizes -> StoredBulkhead.read(names, settings,
                        List.of(), sizes,
                        commands -> Pipeline.transaction(connection, commands).map(results -> results.orElseThrow()),
                        connection))
                .map(question);
    }

    @Override
    public byte[] routingKey() {
        return names.keys().start();
    }

    @Override
    public String about() {
        return names.keys().shown() + "*";
    }
}
