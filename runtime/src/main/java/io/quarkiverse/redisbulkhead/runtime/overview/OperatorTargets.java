package io.quarkiverse.redisbulkhead.runtime.overview;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;

import io.quarkiverse.redisbulkhead.LockSpec;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkiverse.redisbulkhead.runtime.message.NearestNames;
import io.quarkiverse.redisbulkhead.runtime.overview.Snapshot.BulkheadState;
import io.quarkiverse.redisbulkhead.runtime.overview.Snapshot.LimitState;
import io.quarkiverse.redisbulkhead.runtime.overview.WrongTargetException.Kind;
import io.smallrye.mutiny.Uni;

/**
 * Finds what an operator means to look at or to change: a bulkhead that this application declares, or another one that is in
 * use. A mistyped name is refused: acting on it would leave a limit in Redis for a bulkhead that does not exist.
 */
public final class OperatorTargets {

    private final RedisBulkheads bulkheads;
    private final Function<String, RedisSemaphore> undeclared;
    private final Uni<Snapshot> snapshots;

    /**
     * Asks nothing yet.
     *
     * @param bulkheads those that are declared
     * @param undeclared makes others by name, and refuses names that are invalid with {@link IllegalArgumentException}
     * @param snapshots tell what else is in use
     */
    public OperatorTargets(RedisBulkheads bulkheads, Function<String, RedisSemaphore> undeclared, Uni<Snapshot> snapshots) {
        this.bulkheads = bulkheads;
        this.undeclared = undeclared;
        this.snapshots = snapshots;
    }

    /**
     * A bulkhead to look at.
     *
     * @param snapshot what there is
     * @param name which
     * @return its state
     * @throws WrongTargetException when it does not exist
     */
    public static BulkheadState in(Snapshot snapshot, String name) {
        return snapshot.bulkheads().stream().filter(bulkhead -> bulkhead.name().equals(name)).findFirst()
                .orElseThrow(() -> unknown(name, snapshot));
    }

    /**
     * The limits of a bulkhead to look at.
     *
     * @param snapshot what there is
     * @param name the bulkhead
     * @param key the only key to look at; empty for all
     * @return those in use
     * @throws WrongTargetException when the bulkhead does not exist, or a key is given and it has none
     */
    public static List<LimitState> limits(Snapshot snapshot, String name, Optional<String> key) {
        BulkheadState state = in(snapshot, name);
        if (key.isPresent() && !mayHaveKeys(state)) {
            throw keyNeedless(name);
        }
        return state.limits().stream().filter(limit -> key.isEmpty() || limit.key().equals(key)).toList();
    }

    /**
     * One limit to change. Redis is not asked for bulkheads that are declared.
     *
     * @param name the bulkhead
     * @param key its key; empty when no key is meant, which is something else than the empty key
     * @return the limit; fails with {@link WrongTargetException} when it does not exist or must not be changed, and as the
     *         snapshots do
     */
    public Uni<RedisSemaphore> limit(String name, Optional<String> key) {
        if (name.startsWith(LockSpec.BULKHEAD_PREFIX)) {
            return Uni.createFrom().failure(new WrongTargetException(Kind.LOCK,
                    "'" + name + "' belongs to a lock, which operators cannot change. In code, use RedisLock.revoke()"));
        }
        if (bulkheads.names().contains(name)) {
            return Uni.createFrom().item(() -> bulkheads.semaphore(name))
                    .map(declared -> limit(declared, key, declared.needsKey(), !declared.needsKey()));
        }
        return snapshots.map(snapshot -> {
            BulkheadState state = in(snapshot, name);
            // Code may use the same name with keys and without.
            boolean one = !state.keyed() || state.limits().stream().anyMatch(limit -> limit.key().isEmpty());
            return limit(undeclared(name), key, mayHaveKeys(state), one);
        });
    }

    // An idle bulkhead without a declaration is defined by code, maybe with keys: those of others are shown in use only.
    private static boolean mayHaveKeys(BulkheadState state) {
        return state.keyed()
                || !state.declared()
                        && state.limits().stream()
                                .allMatch(limit -> limit.inUse() == 0 && limit.idle() == 0 && limit.waiting() == 0)
                        && state.keysWithoutText() == 0;
    }

    private RedisSemaphore undeclared(String name) {
        try {
            return undeclared.apply(name);
        } catch (IllegalArgumentException e) {
            // It was written to Redis by hand.
            throw new WrongTargetException(Kind.UNKNOWN, "No bulkhead can have that name: " + e.getMessage());
        }
    }

    private static RedisSemaphore limit(RedisSemaphore bulkhead, Optional<String> key, boolean keyed, boolean one) {
        String name = bulkhead.spec().name();
        if (key.isEmpty() && !one) {
            throw new WrongTargetException(Kind.KEY_MISSING,
                    "Bulkhead '" + name + "' has one limit for each key. Specify the key");
        }
        if (key.isPresent() && !keyed) {
            throw keyNeedless(name);
        }
        return key.map(bulkhead::forKey).orElse(bulkhead);
    }

    private static WrongTargetException keyNeedless(String name) {
        return new WrongTargetException(Kind.KEY_NEEDLESS,
                "Bulkhead '" + name + "' has one limit for all calls. Omit the key");
    }

    private static WrongTargetException unknown(String name, Snapshot snapshot) {
        String others = snapshot.incomplete().map(why -> "whether others use it is not known: " + why)
                .orElse("no application uses it");
        return new WrongTargetException(Kind.UNKNOWN, "There is no bulkhead '" + name
                + "': this application does not declare it, and " + others + "." + NearestNames
                        .meant(name, snapshot.bulkheads().stream().map(BulkheadState::name).toList())
                        .map(meant -> " Did you mean '" + meant + "'?").orElse(""));
    }
}
