package io.quarkiverse.redisbulkhead.runtime.management;

import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.quarkiverse.redisbulkhead.LockSpec;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.message.NearestNames;
import io.quarkiverse.redisbulkhead.runtime.overview.BulkheadState;
import io.quarkiverse.redisbulkhead.runtime.overview.Snapshot;

/** Finds what a request is about: a bulkhead that is declared here, or another one that is in use. */
final class Targets {

    private final RedisBulkheads bulkheads;
    private final Supplier<CompletionStage<Snapshot>> snapshots;

    /**
     * @param bulkheads those that are declared
     * @param snapshots tell what else is in use
     */
    Targets(RedisBulkheads bulkheads, Supplier<CompletionStage<Snapshot>> snapshots) {
        this.bulkheads = bulkheads;
        this.snapshots = snapshots;
    }

    /** A bulkhead in a snapshot. */
    static BulkheadState in(Snapshot snapshot, String name) {
        return snapshot.bulkheads().stream().filter(bulkhead -> bulkhead.name().equals(name)).findFirst()
                .orElseThrow(() -> unknown(name, snapshot));
    }

    /** One limit, to be changed; fails with a {@link Problem} when there is none. */
    CompletionStage<RedisSemaphore> limit(String name, Optional<String> key) {
        if (name.startsWith(LockSpec.BULKHEAD_PREFIX)) {
            throw Problem.conflict("'" + name + "' is behind a lock. Only code can change it, by RedisLock.revoke()");
        }
        if (bulkheads.names().contains(name)) {
            RedisSemaphore declared = bulkheads.semaphore(name);
            return CompletableFuture.completedStage(ofKey(declared, declared.needsKey(), key));
        }
        // Its real limit does not matter, as no permit is asked for.
        return snapshots.get().thenApply(snapshot -> ofKey(
                bulkheads.semaphore(SemaphoreSpec.named(in(snapshot, name).name()).permits(1).build()),
                in(snapshot, name).keyed(), key));
    }

    private static RedisSemaphore ofKey(RedisSemaphore bulkhead, boolean keyed, Optional<String> key) {
        String name = bulkhead.spec().name();
        if (keyed && key.isEmpty()) {
            throw Problem
                    .badRequest("Bulkhead '" + name + "' has one limit for each key. Say which, by the query parameter key");
        }
        if (!keyed && key.isPresent()) {
            throw Problem.badRequest("Bulkhead '" + name + "' is one limit for all. Leave the query parameter key out");
        }
        return key.map(bulkhead::forKey).orElse(bulkhead);
    }

    private static Problem unknown(String name, Snapshot snapshot) {
        Set<String> known = new TreeSet<>();
        snapshot.bulkheads().forEach(bulkhead -> known.add(bulkhead.name()));
        return Problem.notFound("There is no bulkhead '" + name + "': this application does not declare it, and nobody uses it."
                + NearestNames.meant(name, known).map(meant -> " Did you mean '" + meant + "'?").orElse(""));
    }
}
