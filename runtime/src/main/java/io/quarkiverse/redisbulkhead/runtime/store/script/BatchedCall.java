package io.quarkiverse.redisbulkhead.runtime.store.script;

import java.util.List;

import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.redis.ErrorReply;
import io.quarkiverse.redisbulkhead.runtime.store.redis.JointCall;
import io.vertx.core.Future;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Response;

/**
 * One of the calls that {@code batch.lua} carries out. Those of one bulkhead go together.
 *
 * @param <T> the answer
 */
abstract sealed class BatchedCall<T> implements JointCall<T> permits AcquireCall, ReleaseCall, CancelCall, RenewCall {

    private final BatchScript script;
    private final BulkheadId bulkhead;

    BatchedCall(BatchScript script, BulkheadId bulkhead) {
        this.script = script;
        this.bulkhead = bulkhead;
    }

    /** Adds this call to what the script is given. */
    abstract void write(BatchArguments to);

    /**
     * The answer to this call.
     *
     * @param reply of the script
     * @param first where the answers to this call begin
     */
    abstract T read(Response reply, int first);

    @Override
    public final Object group() {
        return bulkhead;
    }

    @Override
    public final Future<Response> together(RedisConnection connection, List<? extends JointCall<?>> calls) {
        return script.run(bulkhead, calls.stream().<BatchedCall<?>> map(BatchedCall.class::cast).toList(), connection);
    }

    // Before the answers stands what is told now and then only.
    @Override
    public final T answer(Response reply, int before) {
        return read(reply, before + 1);
    }

    @Override
    public final boolean mayHaveBegunBefore(ErrorReply refusal) {
        return ScriptCall.mayHaveBegun(refusal);
    }

    @Override
    public final byte[] routingKey() {
        return script.keys(bulkhead).start();
    }

    @Override
    public final String about() {
        return script.keys(bulkhead).shown() + "*";
    }
}
