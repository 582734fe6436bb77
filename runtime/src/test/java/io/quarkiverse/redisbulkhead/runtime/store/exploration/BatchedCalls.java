package io.quarkiverse.redisbulkhead.runtime.store.exploration;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import io.quarkiverse.redisbulkhead.runtime.store.Weights;
import io.quarkiverse.redisbulkhead.runtime.store.redis.PermitDetails;

/**
 * Calls as arguments of {@code bulkhead.lua}.
 *
 * @param process the calling process
 * @param calls the calls, in order
 */
record BatchedCalls(String process, List<Call> calls) {

    private static final String PROCESS = "the process that calls";
    private static final List<String> LEASES = List.of("3000", "9000");

    /**
     * A call.
     *
     * @param terms the terms of an acquire; empty otherwise
     * @param what the operation
     * @param id the permit
     * @param extra the old ticket of an acquire; the lease of a renewal or detach; the attached permit; for how
     *        long a cancelled permit must not be granted;
     *        else empty
     */
    record Call(List<String> terms, String what, String id, String extra) {

        static Call release(String id) {
            return new Call(List.of(), "release", id, "");
        }

        static Call releaseAfter(String id, String minHold) {
            return new Call(List.of(), "release after", id, minHold);
        }

        static Call cancel(String id, String forgetAfter) {
            return new Call(List.of(), "cancel", id, forgetAfter);
        }

        private List<String> arguments(String number) {
            return switch (what) {
                case "acquire" -> extra.isEmpty() ? List.of(number, id) : List.of("queue", extra, number, id);
                case "release" -> List.of(what, id);
                case "release after" -> List.of(what, extra, id);
                case "renew" -> List.of(what, id, extra);
                case "detach" -> List.of(what, id, extra, "secret", "0");
                case "attach" -> List.of(what, id, extra, "secret", "3000", "0", "\n3000\n2\nmail\napp\nhost\nattached");
                default -> List.of(what, extra, "1", id);
            };
        }

        @Override
        public String toString() {
            return what + " " + id + " " + extra + (terms.isEmpty() ? "" : terms.subList(0, 4));
        }
    }

    static BatchedCalls of(String process, Call... calls) {
        return new BatchedCalls(process, List.of(calls));
    }

    /** Random calls; if {@code calm}, they neither wait nor renew nor cancel. */
    static BatchedCalls random(Random random, boolean calm, int count) {
        return new BatchedCalls(random.nextInt(3) == 0 ? "mail" : "me",
                Stream.generate(() -> call(random, calm)).limit(count).toList());
    }

    private static Call call(Random random, boolean calm) {
        String id = List.of("", "", "", "*2*").get(random.nextInt(4)) + "p" + random.nextInt(8);
        int kind = random.nextInt(calm ? 8 : 12);
        if (kind < 5) {
            String place = calm || random.nextInt(3) == 0 ? "0" : "2000";
            List<String> terms = terms(Integer.toString(2 + random.nextInt(2)), lease(random), place,
                    random.nextBoolean(), PROCESS);
            boolean returns = !calm && terms.get(3).equals("1") && random.nextInt(3) == 0;
            return new Call(terms, "acquire", id,
                    returns ? Long.toString(BulkheadView.NOW * 1000 - random.nextInt(3) * 10_000_000L) : "");
        }
        if (kind < 8) {
            return random.nextInt(3) == 0 ? Call.releaseAfter(id, lease(random)) : Call.release(id);
        }
        if (kind == 8 && random.nextInt(3) > 0) {
            return random.nextBoolean() ? new Call(List.of(), "detach", id, lease(random))
                    : new Call(List.of(), "attach", "p" + random.nextInt(8), id);
        }
        return kind < 10 ? new Call(List.of(), "renew", id, lease(random)) : Call.cancel(id, "1000");
    }

    /** The terms of an acquire. */
    static List<String> terms(String limit, String lease, String place, boolean fair, String process) {
        return List.of(limit, lease, place, fair ? "1" : "0",
                "\n" + lease + "\n" + limit + "\n" + PermitDetails.owner(process, "app", "host", "method"));
    }

    private static String lease(Random random) {
        return LEASES.get(random.nextInt(LEASES.size()));
    }

    /** The arguments of the script. */
    List<String> arguments() {
        List<List<String>> terms = calls.stream().map(Call::terms).filter(some -> !some.isEmpty()).distinct().toList();
        List<String> arguments = new ArrayList<>();
        arguments.add(process);
        arguments.add(Integer.toString(terms.size()));
        arguments.add(calls.stream().anyMatch(call -> Weights.of(call.id()) > 1) ? "1" : "0");
        terms.forEach(some -> some.forEach(part -> arguments.add(part.replace(PROCESS, process))));
        calls.forEach(call -> arguments.addAll(call.arguments(Integer.toString(terms.indexOf(call.terms()) + 1))));
        return arguments;
    }

    @Override
    public String toString() {
        return calls.toString();
    }
}
