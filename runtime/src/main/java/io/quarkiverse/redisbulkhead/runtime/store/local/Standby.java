package io.quarkiverse.redisbulkhead.runtime.store.local;

import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The waiters that are not fair, and whose turn it is to be told of a free permit: the one that came first; after
 * having been told, all others come first, so that two permits that are given back at once wake two.
 * <p>
 * They are grouped by the limit that they stated, so that those for whom a permit is free are found without looking at
 * all others; there are few different limits at a time.
 */
final class Standby {

    private final NavigableMap<Long, WaitingRequest> byArrival = new TreeMap<>();

    /** By limit, and then by turn. */
    private final NavigableMap<Integer, NavigableMap<Long, WaitingRequest>> byLimit = new TreeMap<>();

    /** The turn of each, by arrival. */
    private final Map<Long, Long> turns = new HashMap<>();

    private long lastTurn;

    boolean isEmpty() {
        return byArrival.isEmpty();
    }

    void add(WaitingRequest waiter) {
        byArrival.put(waiter.arrival(), waiter);
        takeTurn(waiter);
    }

    void remove(WaitingRequest waiter) {
        byArrival.remove(waiter.arrival());
        giveTurnUp(waiter);
    }

    Stream<WaitingRequest> inOrderOfArrival() {
        return byArrival.values().stream();
    }

    long lastTurn() {
        return lastTurn;
    }

    /** Of those with a limit above a number and a turn not after a given one, the next; it goes to the end. */
    Optional<WaitingRequest> next(int number, long notAfter) {
        Optional<WaitingRequest> next = byLimit.tailMap(number, false).values().stream()
                .map(NavigableMap::firstEntry)
                .filter(first -> first.getKey() <= notAfter)
                .min(Map.Entry.comparingByKey())
                .map(Map.Entry::getValue);
        next.ifPresent(waiter -> {
            giveTurnUp(waiter);
            takeTurn(waiter);
        });
        return next;
    }

    private void takeTurn(WaitingRequest waiter) {
        long turn = ++lastTurn;
        turns.put(waiter.arrival(), turn);
        byLimit.computeIfAbsent(waiter.request().limit(), limit -> new TreeMap<>()).put(turn, waiter);
    }

    private void giveTurnUp(WaitingRequest waiter) {
        long turn = turns.remove(waiter.arrival());
        byLimit.computeIfPresent(waiter.request().limit(), (limit, group) -> {
            group.remove(turn);
            return group.isEmpty() ? null : group;
        });
    }
}
