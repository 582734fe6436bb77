package io.quarkiverse.redisbulkhead.benchmarks.contender;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.redisbulkhead.BulkheadKey;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.smallrye.mutiny.Uni;

/** The guarded methods of the application, which do nothing of their own. */
@ApplicationScoped
public class GuardedCalls {

    static final String AMPLE = "ample";
    static final String AMPLE_FAIR = "ample-fair";
    static final String TIGHT = "tight";
    static final String TIGHT_FAIR = "tight-fair";
    static final String FULL = "full";
    static final String KEYED = "-keyed";
    // application.properties has their keep-idle.
    static final String RETURNING = "-returning";

    private static final String WAIT = "30s";

    /** For calls that never wait. */
    @RedisBulkhead(name = AMPLE, permits = Limit.AMPLE)
    public void ample(Runnable execution) {
        execution.run();
    }

    /** For fair calls that never wait. */
    @RedisBulkhead(name = AMPLE_FAIR, permits = Limit.AMPLE, fair = true)
    public void ampleFair(Runnable execution) {
        execution.run();
    }

    /** For calls that may wait. */
    @RedisBulkhead(name = TIGHT, permits = Limit.TIGHT, maxWait = WAIT)
    public void tight(Runnable execution) {
        execution.run();
    }

    /** For fair calls that may wait. */
    @RedisBulkhead(name = TIGHT_FAIR, permits = Limit.TIGHT, maxWait = WAIT, fair = true)
    public void tightFair(Runnable execution) {
        execution.run();
    }

    /** For calls that are rejected. */
    @RedisBulkhead(name = FULL, permits = Limit.TIGHT)
    public void full(Runnable execution) {
        execution.run();
    }

    /** As {@link #ample}, without idle permits. */
    @RedisBulkhead(name = AMPLE + RETURNING, permits = Limit.AMPLE)
    public void ampleReturning(Runnable execution) {
        execution.run();
    }

    /** As {@link #ampleFair}, without idle permits. */
    @RedisBulkhead(name = AMPLE_FAIR + RETURNING, permits = Limit.AMPLE, fair = true)
    public void ampleFairReturning(Runnable execution) {
        execution.run();
    }

    /** As {@link #tight}, without idle permits. */
    @RedisBulkhead(name = TIGHT + RETURNING, permits = Limit.TIGHT, maxWait = WAIT)
    public void tightReturning(Runnable execution) {
        execution.run();
    }

    /** As {@link #tightFair}, without idle permits. */
    @RedisBulkhead(name = TIGHT_FAIR + RETURNING, permits = Limit.TIGHT, maxWait = WAIT, fair = true)
    public void tightFairReturning(Runnable execution) {
        execution.run();
    }

    /** As {@link #ample}, without blocking. */
    @RedisBulkhead(name = AMPLE, permits = Limit.AMPLE)
    public Uni<Void> ampleUni(Runnable execution) {
        return run(execution);
    }

    /** As {@link #ampleFair}, without blocking. */
    @RedisBulkhead(name = AMPLE_FAIR, permits = Limit.AMPLE, fair = true)
    public Uni<Void> ampleFairUni(Runnable execution) {
        return run(execution);
    }

    /** As {@link #tight}, without blocking. */
    @RedisBulkhead(name = TIGHT, permits = Limit.TIGHT, maxWait = WAIT)
    public Uni<Void> tightUni(Runnable execution) {
        return run(execution);
    }

    /** As {@link #tightFair}, without blocking. */
    @RedisBulkhead(name = TIGHT_FAIR, permits = Limit.TIGHT, maxWait = WAIT, fair = true)
    public Uni<Void> tightFairUni(Runnable execution) {
        return run(execution);
    }

    /** As {@link #ample}, for a key. */
    @RedisBulkhead(name = AMPLE + KEYED, permits = Limit.AMPLE)
    public void ample(@BulkheadKey String key, Runnable execution) {
        execution.run();
    }

    /** As {@link #ampleFair}, for a key. */
    @RedisBulkhead(name = AMPLE_FAIR + KEYED, permits = Limit.AMPLE, fair = true)
    public void ampleFair(@BulkheadKey String key, Runnable execution) {
        execution.run();
    }

    /** As {@link #tightUni}, for a key. */
    @RedisBulkhead(name = TIGHT + KEYED, permits = Limit.TIGHT, maxWait = WAIT)
    public Uni<Void> tightUni(@BulkheadKey String key, Runnable execution) {
        return run(execution);
    }

    /** As {@link #tightFairUni}, for a key. */
    @RedisBulkhead(name = TIGHT_FAIR + KEYED, permits = Limit.TIGHT, maxWait = WAIT, fair = true)
    public Uni<Void> tightFairUni(@BulkheadKey String key, Runnable execution) {
        return run(execution);
    }

    private static Uni<Void> run(Runnable execution) {
        execution.run();
        return Uni.createFrom().voidItem();
    }
}
