package io.quarkiverse.redisbulkhead.runtime.store.lock;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

import io.quarkiverse.redisbulkhead.runtime.store.redis.RedisAnswer;
import io.quarkiverse.redisbulkhead.runtime.store.redis.RedisCall;
import io.quarkiverse.redisbulkhead.runtime.store.redis.RedisLink;

/**
 * A few connections, each of which carries one call at a time: a transaction, and what is watched for it, belong to the
 * connection. A call takes the connection with the fewest calls before it; so while there is little to do, one is enough.
 */
final class Lanes {

    private record Lane(RedisLink link, AtomicInteger calls) {
    }

    private final List<Lane> lanes;

    /**
     * @param links with one call under way at a time each; at least one
     */
    Lanes(List<RedisLink> links) {
        this.lanes = links.stream().map(link -> new Lane(link, new AtomicInteger())).toList();
    }

    /** As {@link RedisLink#send(RedisCall, Duration)}. */
    <T> CompletionStage<RedisAnswer<T>> send(RedisCall<T> call, Duration waited) {
        Lane lane = lanes.get(0);
        for (Lane other : lanes) {
            if (other.calls().get() < lane.calls().get()) {
                lane = other;
            }
        }
        AtomicInteger calls = lane.calls();
        calls.incrementAndGet();
        CompletionStage<RedisAnswer<T>> answer = lane.link().send(call, waited);
        answer.whenComplete((done, failure) -> calls.decrementAndGet());
        return answer;
    }
}
