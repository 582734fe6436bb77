package io.quarkiverse.redisbulkhead.benchmarks.application;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.redisbulkhead.BulkheadKey;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkus.arc.Unremovable;
import io.smallrye.mutiny.Uni;

/** The methods of {@link PlainWork}, guarded; where the extension is missing, they are the same. */
@ApplicationScoped
@Unremovable
public class GuardedWork {

    private int count;

    /** Takes one permit. */
    @RedisBulkhead(name = "blocking", permits = 10)
    public int blocking() {
        return count++;
    }

    /** Takes one permit of a key. */
    @RedisBulkhead(name = "keyed", permits = 10)
    public int keyed(@BulkheadKey String key) {
        return count++;
    }

    /** Takes two permits. */
    @RedisBulkhead(name = "first", permits = 10)
    @RedisBulkhead(name = "second", permits = 10)
    public int twice() {
        return count++;
    }

    /** Takes one permit at each subscription. */
    @RedisBulkhead(name = "asynchronous", permits = 10)
    public Uni<Integer> asynchronous() {
        return Uni.createFrom().item(count++);
    }
}
