package io.quarkiverse.redisbulkhead.runtime;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.ObservedShareStore;
import io.quarkiverse.redisbulkhead.runtime.store.Position;
import io.quarkiverse.redisbulkhead.runtime.store.ShareOverview;
import io.quarkiverse.redisbulkhead.runtime.store.ShareStore;
import io.quarkiverse.redisbulkhead.runtime.store.Statement;

/**
 * The limits that this process had before a live reload. Redis remembers each declared limit for a minute, and would report
 * that instances disagree although there is only one. Another instance with the old limit is reported after that minute.
 * Thread-safe.
 */
final class FormerLimits {

    private static final Duration REMEMBERED = Duration.ofMillis(ShareStore.DECLARED_MILLIS).plusSeconds(1);

    /** Survives live reloads, which replace the classes of the application only. */
    static final FormerLimits OF_THIS_PROCESS = new FormerLimits();

    private record Former(String bulkhead, int limit) {
    }

    // When they are forgotten, by System.nanoTime(). Guarded by this.
    private final Map<Former, Long> former = new HashMap<>();

    /**
     * Notes the limits of an application that stops.
     *
     * @param bulkheads its bulkheads
     * @param now {@link System#nanoTime()}
     */
    synchronized void note(Collection<SemaphoreSpec> bulkheads, long now) {
        former.values().removeIf(end -> end - now <= 0);
        bulkheads.forEach(spec -> former.put(new Former(spec.name(), spec.permits()), now + REMEMBERED.toNanos()));
    }

    private synchronized Set<Integer> of(String bulkhead, long now) {
        Set<Integer> limits = new HashSet<>();
        former.forEach((one, end) -> {
            if (one.bulkhead().equals(bulkhead) && end - now > 0) {
                limits.add(one.limit());
            }
        });
        return limits;
    }

    /**
     * Hides them.
     *
     * @param store reports limits
     * @return the same store, which does not report those
     */
    ShareStore hiddenIn(ShareStore store) {
        return new Hiding(store);
    }

    private final class Hiding extends ObservedShareStore {

        // By name of the bulkhead. What is in force again is not hidden.
        private final Map<String, Integer> current = new ConcurrentHashMap<>();

        private Hiding(ShareStore store) {
            super(store, (operation, time, failure) -> {
            });
        }

        @Override
        public CompletionStage<Position> sync(Statement it) {
            if (it.bulkhead().key().isEmpty()) {
                current.put(it.bulkhead().name(), it.limit());
            }
            return super.sync(it).thenApply(position -> position.otherLimits().isEmpty() ? position
                    : position.withOtherLimits(without(position.otherLimits(), it.bulkhead())));
        }

        private Set<Integer> without(Set<Integer> limits, BulkheadId bulkhead) {
            Set<Integer> others = new TreeSet<>(limits);
            others.removeAll(of(bulkhead.name(), System.nanoTime()));
            return others;
        }

        @Override
        public CompletionStage<ShareOverview> look(BulkheadId bulkhead, int most) {
            return super.look(bulkhead, most).thenApply(seen -> new ShareOverview(seen.granted(), seen.waiting(),
                    seen.resizedTo(), visible(bulkhead, seen.declaredLimits()), seen.shares(), seen.holds()));
        }

        private SortedSet<Integer> visible(BulkheadId bulkhead, Collection<Integer> limits) {
            SortedSet<Integer> visible = new TreeSet<>(limits);
            Integer now = current.get(bulkhead.name());
            if (now != null && visible.contains(now)) {
                visible.removeAll(of(bulkhead.name(), System.nanoTime()));
                visible.add(now);
            }
            return visible;
        }
    }
}
