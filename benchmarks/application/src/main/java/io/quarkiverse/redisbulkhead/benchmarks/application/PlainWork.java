package io.quarkiverse.redisbulkhead.benchmarks.application;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkus.arc.Unremovable;
import io.smallrye.mutiny.Uni;

/** Methods that do next to nothing: what guarding them costs is the difference to {@link GuardedWork}. */
@ApplicationScoped
@Unremovable
public class PlainWork {

    private int count;

    /** Returns. */
    public int blocking() {
        return count++;
    }

    /** Returns. */
    public int keyed(String key) {
        return count++;
    }

    /** Returns. */
    public int twice() {
        return count++;
    }

    /** Emits at once. */
    public Uni<Integer> asynchronous() {
        return Uni.createFrom().item(count++);
    }
}
