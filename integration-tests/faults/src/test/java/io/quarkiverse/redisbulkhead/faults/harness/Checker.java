package io.quarkiverse.redisbulkhead.faults.harness;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import io.quarkiverse.redisbulkhead.faults.harness.Evidence.DataLoss;
import io.quarkiverse.redisbulkhead.faults.harness.Evidence.Pause;

/**
 * Judges a history by the guarantees, independently of their implementation.
 * <ul>
 * <li><b>Limit.</b> An execution that enters makes it no more than the limit. Executions count with their weights, until
 * they end or their process reports the loss of the permit. An execution of a process that was paused for long counts
 * separately from the start of the pause, and one whose permit Redis may have forgotten from that moment; neither may
 * overlap for longer than the guarantees allow.</li>
 * <li><b>Order.</b> In a fair bulkhead, a permit was granted no later than one with a greater ticket, so it counts from
 * then on. More than the limit then means that a caller overtook another.</li>
 * <li><b>Permit.</b> No execution runs without one, unless Redis was silent and the scenario allows it then.</li>
 * <li><b>Tokens.</b> No two are equal; where the limit is one, each is greater than all before.</li>
 * </ul>
 */
final class Checker {

    // A pause that is shorter than this part of a lease loses no permit: the lease was renewed within the last third of it.
    private static final double HARMLESS_PART_OF_LEASE = 0.6;

    // What is left of an offer at least.
    private static final Duration OFFER = Duration.ofSeconds(2);

    private final Duration lease;
    private final Set<String> fair;

    /**
     * What the checker found.
     *
     * @param violations empty when the guarantees held
     * @param longestOverlapOfPaused how long a process that had been paused was inside beside its successors
     * @param longestOverlapOfForgotten how long executions whose permits Redis had forgotten were inside beside others
     */
    record Verdict(List<String> violations, Duration longestOverlapOfPaused, Duration longestOverlapOfForgotten) {
    }

    /** With the lease of all bulkheads, and those that are fair all the time. */
    Checker(Duration lease, Set<String> fair) {
        this.lease = lease;
        this.fair = fair;
    }

    Verdict judge(Evidence evidence) {
        List<String> violations = new ArrayList<>();
        long ofPaused = 0;
        long ofForgotten = 0;
        List<Visit> counted = evidence.visits().stream()
                .filter(visit -> evidence.silences().stream().noneMatch(silence -> silence.excuses(visit))).toList();
        counted.stream().filter(visit -> visit.permit().isEmpty())
                .forEach(visit -> violations.add("Permit: none was needed for " + visit));
        Map<String, List<Visit>> limited = counted.stream()
                .collect(Collectors.groupingBy(Visit::limited, TreeMap::new, Collectors.toList()));
        for (List<Visit> visits : limited.values()) {
            visits.sort(Comparator.comparingLong(Visit::began));
            violations.addAll(new Sweep(evidence, visits).overLimit("Limit"));
            if (fair.contains(visits.get(0).bulkhead())) {
                violations.addAll(new Sweep(evidence, grantedByTicket(visits)).overLimit("Order"));
            }
            violations.addAll(tokens(evidence, visits));
            for (Pause pause : evidence.pauses()) {
                long overlap = new Sweep(evidence, visits).overlapOf(visit -> isExcused(pause, visit), pause.from());
                ofPaused = Math.max(ofPaused, overlap);
                if (overlap > pause.nanos()) {
                    violations.add("Pause: " + visits.get(0).limited() + " had more inside than its limit for "
                            + Duration.ofNanos(overlap) + " after a pause of " + Duration.ofNanos(pause.nanos()));
                }
            }
            for (DataLoss loss : evidence.losses()) {
                long overlap = new Sweep(evidence, visits).overlapOf(loss::concerns, loss.at());
                ofForgotten = Math.max(ofForgotten, overlap);
                if (overlap > lease.toNanos()) {
                    violations.add("Data loss: " + visits.get(0).limited() + " had more inside than its limit for "
                            + Duration.ofNanos(overlap) + ", which is longer than a lease");
                }
            }
        }
        return new Verdict(violations, Duration.ofNanos(ofPaused), Duration.ofNanos(ofForgotten));
    }

    private boolean isExcused(Pause pause, Visit visit) {
        return pause.nanos() > leaseAt(pause, visit) * HARMLESS_PART_OF_LEASE && pause.concerns(visit);
    }

    // The permit may have been offered just before the pause.
    private long leaseAt(Pause pause, Visit visit) {
        boolean mayBeOffered = pause.from() - visit.began() < OFFER.toNanos();
        return (mayBeOffered && OFFER.compareTo(lease) < 0 ? OFFER : lease).toNanos();
    }

    /** The time from which an execution is not counted with the others. */
    private long excusedFrom(Evidence evidence, Visit visit) {
        long from = visit.over();
        for (Pause pause : evidence.pauses()) {
            if (isExcused(pause, visit)) {
                from = Math.min(from, Math.max(visit.began(), pause.from()));
            }
        }
        for (DataLoss loss : evidence.losses()) {
            if (loss.concerns(visit)) {
                from = Math.min(from, Math.max(visit.began(), loss.at()));
            }
        }
        return from;
    }

    private static List<Visit> grantedByTicket(List<Visit> visits) {
        List<Visit> byTicket = new ArrayList<>(visits);
        byTicket.sort(Comparator.comparingLong(Visit::token).reversed());
        List<Visit> granted = new ArrayList<>();
        long earliest = Long.MAX_VALUE;
        for (Visit visit : byTicket) {
            earliest = Math.min(earliest, visit.began());
            granted.add(visit.withBegin(earliest));
        }
        granted.sort(Comparator.comparingLong(Visit::began));
        return granted;
    }

    private static List<String> tokens(Evidence evidence, List<Visit> visits) {
        List<String> violations = new ArrayList<>();
        Set<Long> seen = new HashSet<>();
        Optional<Visit> greatest = Optional.empty();
        for (Visit visit : visits) {
            if (!seen.add(visit.token())) {
                violations.add("Token: used twice: " + visit);
            }
            if (evidence.limit(visit, visit.began()) == 1 && greatest.isPresent()
                    && greatest.get().token() > visit.token() && !forgottenBetween(evidence, greatest.get(), visit)) {
                violations.add("Token: " + visit + " came after " + greatest.get());
            }
            if (greatest.isEmpty() || greatest.get().token() < visit.token()) {
                greatest = Optional.of(visit);
            }
        }
        return violations;
    }

    // The execution with the greater token may have been granted after the loss, before the other one, granted before the
    // loss, had started.
    private static boolean forgottenBetween(Evidence evidence, Visit greater, Visit smaller) {
        return evidence.losses().stream()
                .anyMatch(loss -> loss.concerns(smaller) && loss.mayPrecede(greater));
    }

    /** Replays the executions of one limit in the order of their starts and ends. */
    private final class Sweep {

        private final Evidence evidence;
        private final List<Visit> visits;

        private Sweep(Evidence evidence, List<Visit> visits) {
            this.evidence = evidence;
            this.visits = visits;
        }

        private List<String> overLimit(String guarantee) {
            List<String> violations = new ArrayList<>();
            List<Visit> inside = new ArrayList<>();
            for (Visit visit : visits) {
                inside.removeIf(other -> excusedFrom(evidence, other) <= visit.began());
                if (excusedFrom(evidence, visit) <= visit.began()) {
                    continue;
                }
                inside.add(visit);
                int limit = evidence.limit(visit, visit.began());
                int weight = inside.stream().mapToInt(Visit::weight).sum();
                if (weight > limit) {
                    violations.add(guarantee + ": " + weight + " inside, limit " + limit + ":\n    "
                            + inside.stream().map(Visit::toString).collect(Collectors.joining("\n    ")));
                }
            }
            return violations;
        }

        /** The longest period above the limit including these executions, each counted from a given time. */
        private long overlapOf(Predicate<Visit> excused, long from) {
            List<Visit> theirs = visits.stream().filter(excused).toList();
            if (theirs.isEmpty()) {
                return 0;
            }
            TreeMap<Long, Integer> changes = new TreeMap<>();
            for (Visit visit : visits) {
                boolean isTheirs = theirs.contains(visit);
                long begin = isTheirs ? Math.max(from, visit.began()) : visit.began();
                long end = isTheirs ? visit.over() : excusedFrom(evidence, visit);
                if (end > begin) {
                    changes.merge(begin, visit.weight(), Integer::sum);
                    changes.merge(end, -visit.weight(), Integer::sum);
                }
            }
            return longestAbove(changes, from);
        }

        private long longestAbove(TreeMap<Long, Integer> changes, long from) {
            long longest = 0;
            long since = Visit.NEVER;
            int inside = 0;
            for (Map.Entry<Long, Integer> change : changes.entrySet()) {
                inside += change.getValue();
                boolean above = change.getKey() >= from && inside > evidence.limit(visits.get(0), change.getKey());
                if (above && since == Visit.NEVER) {
                    since = change.getKey();
                } else if (!above && since != Visit.NEVER) {
                    longest = Math.max(longest, change.getKey() - since);
                    since = Visit.NEVER;
                }
            }
            return longest;
        }
    }
}
