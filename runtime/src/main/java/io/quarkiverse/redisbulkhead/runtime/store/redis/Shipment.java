package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.util.List;

import io.vertx.core.Future;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Response;

/**
 * What goes to Redis in one command: one call, or several of one group. On the context of the {@link RedisConnectionManager}.
 */
final class Shipment {

    private final Object group;
    private final List<PendingCall<?>> calls;
    private final boolean awaited;

    /**
     * @param group of the calls; null for a call that has none
     * @param calls at least one
     */
    Shipment(Object group, List<PendingCall<?>> calls) {
        this.group = group;
        this.calls = calls;
        this.awaited = calls.stream().anyMatch(PendingCall::isAwaited);
    }

    Object group() {
        return group;
    }

    List<PendingCall<?>> calls() {
        return calls;
    }

    /** Whether a caller waits for one of the answers. */
    boolean isAwaited() {
        return awaited;
    }

    /**
     * Hands the calls to a connection. From now on they may be carried out, even if no answer comes.
     *
     * @return what {@link #deliver} takes; fails as the client fails, or because the reply was not understood
     */
    Future<?> transmit(RedisConnection connection) {
        calls.forEach(PendingCall::sent);
        return group == null
                ? calls.get(0).call().over(connection)
                : joint(0).together(connection, calls.stream().map(call -> (JointCall<?>) call.call()).toList());
    }

    /** Gives each call its answer. */
    void deliver(Object reply) {
        if (group == null) {
            calls.get(0).complete(reply);
            return;
        }
        int before = 0;
        for (int i = 0; i < calls.size(); i++) {
            int position = before;
            JointCall<?> call = joint(i);
            calls.get(i).completeFrom(() -> call.answer((Response) reply, position));
            before += call.size();
        }
    }

    private JointCall<?> joint(int index) {
        return (JointCall<?>) calls.get(index).call();
    }
}
