package io.quarkiverse.redisbulkhead.runtime.store.local;

import java.util.Comparator;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The waiters that are not fair. They are also grouped by the limit that they stated, so that those for whom a permit
 * is free are found without looking at all others; there are few different limits at a time.
 */
final class Bystanders {

    private static final Comparator<WaitingRequest> BY_ARRIVAL = Comparator.comparingLong(WaitingRequest::arrival);

    private final NavigableSet<WaitingRequest> all = new TreeSet<>(BY_ARRIVAL);

    private final NavigableMap<Integer, NavigableSet<WaitingRequest>> byLimit = new TreeMap<>();

    void add(WaitingRequest waiter) {
        all.add(waiter);
        byLimit.computeIfAbsent(waiter.request().limit(), limit -> new TreeSet<>(BY_ARRIVAL)).add(waiter);
    }

    void remove(WaitingRequest waiter) {
        all.remove(waiter);
        byLimit.computeIfPresent(waiter.request().limit(), (limit, group) -> {
            group.remove(waiter);
            return group.isEmpty() ? null : group;
        });
    }

    /** Of those that came later than a given one and stated a limit above a number, the one that came first. */
    Optional<WaitingRequest> firstAfter(long arrival, int number) {
        WaitingRequest bound = new WaitingRequest(null, 0, arrival, 0);
        return byLimit.tailMap(number, false).values().stream()
                .map(group -> group.higher(bound))
                .filter(Objects::nonNull)
                .min(BY_ARRIVAL);
    }

    Stream<WaitingRequest> inOrderOfArrival() {
        return all.stream();
    }
}
