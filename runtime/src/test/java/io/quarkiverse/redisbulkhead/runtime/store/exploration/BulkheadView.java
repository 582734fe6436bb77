package io.quarkiverse.redisbulkhead.runtime.store.exploration;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.HolderMark;
import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.Weights;
import io.quarkiverse.redisbulkhead.runtime.store.exploration.redis.RedisModel;
import io.quarkiverse.redisbulkhead.runtime.store.redis.BulkheadKeys;
import io.quarkiverse.redisbulkhead.runtime.store.redis.BulkheadKeys.Part;
import io.quarkiverse.redisbulkhead.runtime.store.redis.PermitDetails;

/**
 * Interprets the keys of the bulkhead.
 *
 * @param redis the server
 */
record BulkheadView(RedisModel redis) {

    /** The constant time of the server's clock, in milliseconds. */
    static final long NOW = 1_700_000_000_000L;

    static final String GRACE_ENTRY = "grace period";

    private static final long GRACE_PERIOD = PermitStore.GRACE_PERIOD.toMillis();

    private static final BulkheadKeys KEYS = new BulkheadKeys("x", BulkheadId.of("b"));

    static final List<String> NAMES = KEYS.data().stream().map(String::new).toList();

    static String key(Part part) {
        return new String(KEYS.of(part));
    }

    Map<String, Double> scores(Part part) {
        return redis.scores(key(part));
    }

    Map<String, String> state() {
        return redis.hash(key(Part.STATE));
    }

    /** The records of holders and waiters; all other fields contain a space. */
    Map<String, String> records() {
        Map<String, String> records = new TreeMap<>(state());
        records.keySet().removeIf(field -> field.contains(" "));
        return records;
    }

    /** The holders, with their remaining leases. */
    Map<String, Long> holders() {
        Map<String, Long> alive = new TreeMap<>();
        scores(Part.HOLDERS).forEach((id, end) -> {
            if (end > NOW && !Weights.isFurther(id)) {
                alive.put(id, end.longValue() - NOW);
            }
        });
        return alive;
    }

    /** The used part of the limit. */
    int inUse() {
        return (int) scores(Part.HOLDERS).values().stream().filter(end -> end > NOW).count();
    }

    /** Whether each permit has as many entries as its weight, with the same lease end. */
    boolean permitsAreWhole() {
        Map<String, Double> entries = new TreeMap<>(scores(Part.HOLDERS));
        return entries.keySet().stream().allMatch(entry -> Weights.entries(Weights.permitOf(entry)).stream()
                .allMatch(other -> entries.get(entry).equals(entries.get(other))));
    }

    /** Whether the permit was released but stays taken. */
    static boolean isReleased(String id) {
        return id.endsWith(PermitStore.RELEASED_SUFFIX);
    }

    /** The waiters, and how long their processes count as alive without another heartbeat. */
    Map<String, Long> waiters() {
        Map<String, Long> alive = new TreeMap<>();
        for (Part part : List.of(Part.QUEUE, Part.STANDBY)) {
            for (String id : scores(part).keySet()) {
                PermitDetails.parse(records().getOrDefault(id, "")).ifPresent(record -> {
                    long end = Long.parseLong(state().getOrDefault("alive " + record.mailbox(), "0"));
                    if (end > NOW) {
                        alive.put(id, end - NOW);
                    }
                });
            }
        }
        return alive;
    }

    /** The end of the grace period in milliseconds, or 0. */
    long gracePeriodEnd() {
        return scores(Part.QUEUE).getOrDefault(GRACE_ENTRY, 0d).longValue();
    }

    boolean isGracePeriod() {
        return gracePeriodEnd() > NOW && gracePeriodEnd() <= NOW + GRACE_PERIOD;
    }

    /** The live waiters in the queue, with their tickets. */
    Map<String, Long> queue() {
        Map<String, Long> queue = new TreeMap<>();
        Map<String, Long> waiters = waiters();
        scores(Part.QUEUE).forEach((id, ticket) -> {
            if (waiters.containsKey(id)) {
                queue.put(id, ticket.longValue());
            }
        });
        return queue;
    }

    /** The next waiter to be served. */
    Optional<String> firstInQueue() {
        return queue().entrySet().stream().min(Map.Entry.comparingByValue()).map(Map.Entry::getKey);
    }

    /** The last issued ticket, or 0. */
    long lastTicket() {
        return Long.parseLong(state().getOrDefault("last ticket", "0"));
    }

    long ticketOf(String id) {
        return PermitDetails.parse(records().getOrDefault(id, "")).map(PermitDetails::ticket).orElse(0L);
    }

    /** The state of a permit. */
    Holder.State stateOf(String id) {
        return PermitDetails.parse(records().getOrDefault(id, "")).map(record -> HolderMark.state(record.mailbox()))
                .orElse(Holder.State.HELD);
    }

    /** All ids with data that must not outlive their calls. */
    TreeSet<String> traces() {
        TreeSet<String> ids = new TreeSet<>(records().keySet());
        for (Part part : List.of(Part.HOLDERS, Part.QUEUE, Part.STANDBY)) {
            ids.addAll(scores(part).keySet());
        }
        ids.remove(GRACE_ENTRY);
        ids.removeIf(Weights::isFurther);
        ids.removeIf(BulkheadView::isReleased);
        return ids;
    }
}
