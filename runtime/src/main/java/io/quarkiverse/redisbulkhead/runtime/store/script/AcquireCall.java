package io.quarkiverse.redisbulkhead.runtime.store.script;

import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.quarkiverse.redisbulkhead.runtime.store.AcquireRequest;
import io.quarkiverse.redisbulkhead.runtime.store.script.AcquireCall.Acquired;
import io.vertx.redis.client.Response;
import io.vertx.redis.client.ResponseType;

/** Asks for a permit. */
final class AcquireCall extends BatchedCall<Acquired> {

    private static final int CANCELLED = -1;

    private final String permitId;
    private final long ticket;
    private final BatchArguments.Terms terms;

    /** What came of it. */
    enum Outcome {
        GRANTED,
        FULL,
        WAITING,
        CANCELLED
    }

    /**
     * The answer; what does not belong to its outcome is zero.
     *
     * @param ticket the fencing token of what was granted, or the place in the queue
     * @param limit the limit in force
     * @param nearestLeaseEnd after what time the first lease ends
     * @param storeMillis the clock of the server
     * @param otherLimits which limits other callers stated lately, told now and then only
     */
    record Acquired(Outcome outcome, long ticket, int limit, Duration nearestLeaseEnd, long storeMillis,
            Set<Integer> otherLimits) {
    }

    AcquireCall(BatchScript script, AcquireRequest request, String owner) {
        super(script, request.bulkhead());
        this.permitId = request.permitId();
        this.ticket = request.fair() ? request.ticket() : 0;
        this.terms = new BatchArguments.Terms(request.limit(), request.lease(), request.fair(), request.place(), owner);
    }

    @Override
    public int size() {
        return 1;
    }

    @Override
    void write(BatchArguments to) {
        to.acquire(permitId, ticket, terms);
    }

    @Override
    Acquired read(Response reply, int first) {
        Set<Integer> others = otherLimits(reply.get(0));
        Response answer = reply.get(first);
        if (answer.type() != ResponseType.MULTI) {
            long ticket = answer.toLong();
            return ticket == CANCELLED
                    ? new Acquired(Outcome.CANCELLED, 0, 0, Duration.ZERO, 0, others)
                    : new Acquired(Outcome.GRANTED, ticket, 0, Duration.ZERO, 0, others);
        }
        boolean waits = answer.size() > 2;
        return new Acquired(waits ? Outcome.WAITING : Outcome.FULL,
                waits ? answer.get(3).toLong() : 0, answer.get(0).toInteger(),
                Duration.ofMillis(answer.get(1).toLong()), waits ? answer.get(2).toLong() : 0, others);
    }

    private Set<Integer> otherLimits(Response told) {
        for (int i = 0; i < told.size(); i += 2) {
            if (told.get(i).toInteger() == terms.limit()) {
                return Stream.of(told.get(i + 1).toString().split(",")).map(Integer::valueOf).collect(Collectors.toSet());
            }
        }
        return Set.of();
    }
}
