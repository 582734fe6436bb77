package io.quarkiverse.redisbulkhead.faults.harness;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.quarkiverse.redisbulkhead.faults.harness.Evidence.DataLoss;
import io.quarkiverse.redisbulkhead.faults.harness.Evidence.Pause;
import io.quarkiverse.redisbulkhead.faults.harness.Evidence.Silence;

/** The observed events. Times strictly increase, so no two events have the same time. Thread-safe. */
public final class History {

    private final List<Visit> finished = new ArrayList<>();
    private final Map<String, Visit> inside = new LinkedHashMap<>();
    private final List<Pause> pauses = new ArrayList<>();
    private final List<DataLoss> losses = new ArrayList<>();
    private final List<Silence> silences = new ArrayList<>();
    private final Map<String, TreeMap<Long, Integer>> limits = new HashMap<>();
    private final Map<String, Long> rejections = new TreeMap<>();
    private final Map<String, String> lastExceptions = new TreeMap<>();
    private final Set<String> lostPermits = new HashSet<>();
    private final Map<String, Long> entries = new TreeMap<>();
    private final Map<String, Long> entriesOfWorkers = new TreeMap<>();
    private long entriesWithoutPermit;
    private final Map<String, Long> entriesAboveLimit = new HashMap<>();
    private long last = System.nanoTime();

    private static String id(String worker, long number) {
        return worker + ' ' + number;
    }

    private long now() {
        last = Math.max(last + 1, System.nanoTime());
        return last;
    }

    synchronized void entered(String worker, long number, String bulkhead, String key, String permit, long token,
            int weight) {
        long at = now();
        // A process that stood still may detect the loss before it reports the entry.
        long lost = lostPermits.contains(permit) ? at : Visit.NEVER;
        Visit visit = new Visit(worker, bulkhead, key, permit, token, weight, at, Visit.NEVER, lost);
        inside.put(id(worker, number), visit);
        if (permit.isEmpty()) {
            entriesWithoutPermit++;
        }
        if (inside(other -> other.limited().equals(visit.limited())) > currentLimit(bulkhead)) {
            entriesAboveLimit.merge(bulkhead, 1L, Long::sum);
        }
        entries.merge(bulkhead, 1L, Long::sum);
        entriesOfWorkers.merge(worker, 1L, Long::sum);
    }

    synchronized void left(String worker, long number) {
        Visit visit = inside.remove(id(worker, number));
        // Messages of a killed process may still be in flight.
        if (visit != null) {
            finished.add(visit.withEnd(now()));
        }
    }

    synchronized void lost(String permit) {
        long at = now();
        lostPermits.add(permit);
        inside.replaceAll((id, visit) -> visit.permit().equals(permit) && visit.lost() == Visit.NEVER ? visit.withLoss(at)
                : visit);
    }

    /** Records that all executions of a process ended with it, at that time. */
    synchronized void died(String worker, long at) {
        inside.entrySet().removeIf(entry -> {
            boolean dead = entry.getValue().worker().equals(worker);
            if (dead) {
                finished.add(entry.getValue().withEnd(Math.max(at, entry.getValue().began())));
            }
            return dead;
        });
    }

    synchronized void rejected(String what, String exception) {
        rejections.merge(what, 1L, Long::sum);
        lastExceptions.put(what, exception);
    }

    /** Discards earlier rejections, which are expected during warm-up. */
    public synchronized void forgetRejections() {
        rejections.clear();
    }

    /** The last exception of each kind. */
    public synchronized Collection<String> lastExceptions() {
        return List.copyOf(lastExceptions.values());
    }

    /** The last exception of one kind, as in {@link #rejections}. */
    public synchronized String lastException(String kind) {
        return lastExceptions.getOrDefault(kind, "");
    }

    synchronized void paused(String worker, long from, long until) {
        pauses.add(new Pause(worker, from, until));
    }

    synchronized void silent(Silence silence) {
        silences.add(silence);
    }

    synchronized void forgot(DataLoss loss) {
        losses.add(loss);
    }

    /** Sets the limit for executions that enter from now on. */
    synchronized void limit(String bulkhead, int limit) {
        limits.computeIfAbsent(bulkhead, name -> new TreeMap<>()).put(limits.get(bulkhead).isEmpty() ? Long.MIN_VALUE : now(),
                limit);
    }

    /** How many executions may be inside a bulkhead now. */
    synchronized int currentLimit(String bulkhead) {
        return limits.get(bulkhead).lastEntry().getValue();
    }

    synchronized Evidence evidence() {
        List<Visit> all = new ArrayList<>(finished);
        all.addAll(inside.values());
        Map<String, TreeMap<Long, Integer>> copies = new HashMap<>();
        limits.forEach((bulkhead, limit) -> copies.put(bulkhead, new TreeMap<>(limit)));
        return new Evidence(all, List.copyOf(pauses), List.copyOf(losses), List.copyOf(silences), copies);
    }

    /** The total weight of the executions inside whose processes have not reported a loss. */
    public synchronized long inside(Predicate<Visit> which) {
        return inside.values().stream().filter(visit -> visit.lost() == Visit.NEVER).filter(which)
                .mapToLong(Visit::weight).sum();
    }

    /** The executions inside, including those that have lost their permit. */
    synchronized List<Visit> visitors() {
        return List.copyOf(inside.values());
    }

    /** The ids of the permits that executions of an application have now. */
    public synchronized Set<String> permitsOf(String worker) {
        return inside.values().stream().filter(visit -> visit.lost() == Visit.NEVER && visit.worker().equals(worker))
                .map(Visit::permit).collect(Collectors.toSet());
    }

    /** The applications of the executions of a bulkhead, in the order in which these started. */
    public synchronized Stream<String> workersInOrderOfEntry(String bulkhead) {
        return Stream.concat(finished.stream(), inside.values().stream()).filter(visit -> visit.bulkhead().equals(bulkhead))
                .sorted(Comparator.comparingLong(Visit::began)).map(Visit::worker).toList().stream();
    }

    public synchronized long entries() {
        return entries.values().stream().mapToLong(Long::longValue).sum();
    }

    public synchronized long entries(String bulkhead) {
        return entries.getOrDefault(bulkhead, 0L);
    }

    public synchronized long entriesOf(String worker) {
        return entriesOfWorkers.getOrDefault(worker, 0L);
    }

    /** How many calls were rejected or failed, by bulkhead and kind. */
    public synchronized Map<String, Long> rejections() {
        return new TreeMap<>(rejections);
    }

    /** How many calls of a bulkhead failed because Redis was unavailable. */
    public synchronized long unavailable(String bulkhead) {
        return rejections.getOrDefault(bulkhead + " unavailable", 0L);
    }

    public synchronized long entriesWithoutPermit() {
        return entriesWithoutPermit;
    }

    /** How many executions exceeded the limit when they began, without those whose process reported a loss. */
    public synchronized long entriesAboveLimit(String bulkhead) {
        return entriesAboveLimit.getOrDefault(bulkhead, 0L);
    }

    /** How many calls of a bulkhead were rejected because all permits were taken or too many callers waited. */
    public synchronized long full(String bulkhead) {
        return rejections.getOrDefault(bulkhead + " full", 0L);
    }

    /** The longest time between the starts of two executions of a bulkhead since a {@link System#nanoTime()}. */
    public synchronized Duration longestGap(String bulkhead, long since) {
        long[] begins = Stream.concat(finished.stream(), inside.values().stream())
                .filter(visit -> visit.bulkhead().equals(bulkhead) && visit.began() > since).mapToLong(Visit::began).sorted()
                .toArray();
        long longest = 0;
        long before = since;
        for (long begin : begins) {
            longest = Math.max(longest, begin - before);
            before = begin;
        }
        return Duration.ofNanos(longest);
    }
}
