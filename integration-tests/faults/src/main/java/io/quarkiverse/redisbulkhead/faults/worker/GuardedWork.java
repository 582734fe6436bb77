package io.quarkiverse.redisbulkhead.faults.worker;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.redisbulkhead.BulkheadKey;
import io.quarkiverse.redisbulkhead.CurrentPermit;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.smallrye.mutiny.Uni;

/** The guarded methods: bulkheads of each kind, each with a blocking method, one that returns a {@link Uni}, or both. */
@ApplicationScoped
public class GuardedWork {

    private static final String HEAVY = "heavy";
    private static final String LEASE = "${worker.lease}";
    private static final String WAIT = "${worker.wait}";

    private final CurrentPermit permit;

    GuardedWork(CurrentPermit permit) {
        this.permit = permit;
    }

    /** Calls the method that the harness names: the bulkhead, or {@code heavy}. */
    void call(Execution execution) {
        switch (execution.method()) {
            case "open" -> open(execution);
            case "fair" -> fair(execution);
            case "single" -> single(execution);
            case "pair" -> light(execution);
            case HEAVY -> heavy(execution);
            case "keyed" -> keyed(execution, execution.key());
            default -> throw new IllegalArgumentException("No blocking method for " + execution.method());
        }
    }

    /** As {@link #call}, by the method that returns a {@link Uni}. */
    Uni<Void> callAsync(Execution execution) {
        return switch (execution.method()) {
            case "open" -> openAsync(execution);
            case "fair" -> fairAsync(execution);
            case "pair" -> lightAsync(execution);
            case "keyed" -> keyedAsync(execution, execution.key());
            default -> throw new IllegalArgumentException("No asynchronous method for " + execution.method());
        };
    }

    static String bulkhead(String method) {
        return method.equals(HEAVY) ? "pair" : method;
    }

    static int weight(String method) {
        return method.equals(HEAVY) ? 2 : 1;
    }

    @RedisBulkhead(name = "open", permits = 3, expire = LEASE, maxWait = WAIT)
    void open(Execution execution) {
        execution.run(permit.get());
    }

    @RedisBulkhead(name = "open", permits = 3, expire = LEASE, maxWait = WAIT)
    Uni<Void> openAsync(Execution execution) {
        return execution.runAsync(permit.get());
    }

    @RedisBulkhead(name = "fair", permits = 3, fair = true, expire = LEASE, maxWait = WAIT)
    void fair(Execution execution) {
        execution.run(permit.get());
    }

    @RedisBulkhead(name = "fair", permits = 3, fair = true, expire = LEASE, maxWait = WAIT)
    Uni<Void> fairAsync(Execution execution) {
        return execution.runAsync(permit.get());
    }

    @RedisBulkhead(name = "single", permits = 1, fair = true, expire = LEASE, maxWait = WAIT)
    void single(Execution execution) {
        execution.run(permit.get());
    }

    @RedisBulkhead(name = "pair", permits = 2, fair = true, expire = LEASE, maxWait = WAIT)
    void light(Execution execution) {
        execution.run(permit.get());
    }

    @RedisBulkhead(name = "pair", permits = 2, fair = true, expire = LEASE, maxWait = WAIT)
    Uni<Void> lightAsync(Execution execution) {
        return execution.runAsync(permit.get());
    }

    @RedisBulkhead(name = "pair", permits = 2, weight = 2, fair = true, expire = LEASE, maxWait = WAIT)
    void heavy(Execution execution) {
        execution.run(permit.get());
    }

    @RedisBulkhead(name = "keyed", permits = 1, expire = LEASE)
    void keyed(Execution execution, @BulkheadKey String key) {
        execution.run(permit.get());
    }

    @RedisBulkhead(name = "keyed", permits = 1, expire = LEASE)
    Uni<Void> keyedAsync(Execution execution, @BulkheadKey String key) {
        return execution.runAsync(permit.get());
    }
}
