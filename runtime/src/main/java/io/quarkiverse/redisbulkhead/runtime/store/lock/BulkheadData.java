package io.quarkiverse.redisbulkhead.runtime.store.lock;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.quarkiverse.redisbulkhead.runtime.store.redis.BulkheadKeys;
import io.quarkiverse.redisbulkhead.runtime.store.redis.BulkheadKeys.Part;
import io.vertx.redis.client.Request;

/**
 * What a step has read of the keys of a bulkhead, and what it changes there.
 *
 * @param sets the sorted sets: permit ids by the end of their lease ({@code HOLDERS}), by ticket ({@code QUEUE}), by the end of
 *        their place ({@code WAITERS}), by their turn in microseconds ({@code STANDBY}), and by the end of their cancellation
 * @param endedUnknown how many leases have ended that are not among those read
 */
record BulkheadData(Map<Part, ScoredSet> sets, DetailsHash details, LimitsHash limits, Ticket ticket, Lifetimes lifetimes,
        long endedUnknown) {

    ScoredSet holders() {
        return sets.get(Part.HOLDERS);
    }

    ScoredSet queue() {
        return sets.get(Part.QUEUE);
    }

    ScoredSet waiters() {
        return sets.get(Part.WAITERS);
    }

    ScoredSet standby() {
        return sets.get(Part.STANDBY);
    }

    ScoredSet cancelled() {
        return sets.get(Part.CANCELLED);
    }

    /** Whether anything is written, not only removed. */
    boolean hasGrown() {
        return !grown().isEmpty();
    }

    /** The commands that bring the changes about. */
    List<Request> changes(BulkheadKeys keys) {
        List<Request> commands = new ArrayList<>();
        ofEntries().values().forEach(changes -> commands.addAll(changes.commands()));
        commands.addAll(ticket.changes());
        commands.addAll(lifetimes.changes(keys, grown()));
        return commands;
    }

    private Set<Part> grown() {
        Set<Part> grown = EnumSet.noneOf(Part.class);
        ofEntries().forEach((part, changes) -> {
            if (changes.hasGrown()) {
                grown.add(part);
            }
        });
        if (ticket.hasChanged()) {
            grown.add(Part.TICKET);
        }
        return grown;
    }

    private Map<Part, Changes> ofEntries() {
        Map<Part, Changes> all = new EnumMap<>(Part.class);
        sets.forEach((part, set) -> all.put(part, set.changes()));
        all.put(Part.DETAILS, details.changes());
        all.put(Part.LIMITS, limits.changes());
        return all;
    }
}
