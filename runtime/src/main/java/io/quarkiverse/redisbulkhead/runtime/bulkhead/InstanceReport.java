package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.StringTokenizer;

import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.Waiter;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;

/**
 * What an instance tells another one about a bulkhead: the executions and the waiting calls, which the store does not know. As
 * a text, the first line has the numbers, and each other line has a holder or a waiter; times are relative, because clocks
 * differ.
 *
 * @param inUse what the permits of executions weigh together
 * @param waiting how many calls wait
 * @param holders the executions, the oldest coming first; fewer than there are if fewer were requested
 * @param waiters the waiting calls in their order; fewer than {@code waiting} if fewer were requested
 */
record InstanceReport(int inUse, int waiting, List<Holder> holders, List<Waiter> waiters) {

    static final InstanceReport NOTHING = new InstanceReport(0, 0, List.of(), List.of());

    /** Longer texts are not delivered. */
    private static final int MOST_CHARACTERS = 45_000;

    private static final String HOLDER = "holder";
    private static final String LEAKED = "leaked";
    private static final String WAITER = "waiter";

    /** What this instance does in a bulkhead, with no more holders and waiters than that. */
    static InstanceReport of(Bulkhead here, int most) {
        Surroundings around = here.around;
        BulkheadId id = here.id;
        if (most == 0) {
            return new InstanceReport(here.usedPermits(), here.waitingCalls(), List.of(), List.of());
        }
        Instant leaseEnd = around.wallTime(here.leaseEndNanos());
        List<Holder> holders = here.permits().stream().limit(most)
                .map(permit -> new Holder(permit.id(), id.name(), id.key(), permit.fencingToken(), permit.weight(),
                        around.identity.application(), around.identity.instance(), permit.method,
                        around.wallTime(permit.sinceNanos), until(permit, leaseEnd),
                        permit.leaked ? Holder.State.LEAKED : Holder.State.HELD))
                .toList();
        List<Waiter> waiters = new ArrayList<>();
        List<PendingCall> waiting = here.waiting();
        for (PendingCall call : waiting.subList(0, Math.min(most, waiting.size()))) {
            waiters.add(new Waiter(around.instance + "-w" + waiters.size(), id.name(), id.key(),
                    call.isFair() ? call.ticket() : 0, call.weight(), around.identity.application(),
                    around.identity.instance(), call.method, around.wallTime(call.begunNanos),
                    around.wallTime(call.untilNanos())));
        }
        return new InstanceReport(here.usedPermits(), waiting.size(), holders, waiters);
    }

    private static Instant until(SharePermit permit, Instant leaseEnd) {
        Instant holdEnd = permit.bulkhead.around.wallTime(permit.holdEndNanos());
        return permit.definition.terms().holdIsBounded() && holdEnd.isBefore(leaseEnd) ? holdEnd : leaseEnd;
    }

    /** A text without white space. */
    static String encoded(String text) {
        return '=' + URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    /** Undoes {@link #encoded}. */
    static String decoded(String text) {
        return URLDecoder.decode(text.substring(1), StandardCharsets.UTF_8);
    }

    /** The text; rows that do not fit are left out. */
    String text() {
        long now = System.currentTimeMillis();
        StringBuilder text = new StringBuilder().append(inUse).append(' ').append(waiting).append('\n');
        for (Holder holder : holders) {
            add(text, holder.state() == Holder.State.LEAKED ? LEAKED : HOLDER, holder.permitId(), holder.ticket(),
                    holder.weight(), holder.application(), holder.instance(),
                    holder.method(), holder.since(), holder.until(), now);
        }
        for (Waiter waiter : waiters) {
            add(text, WAITER, waiter.permitId(), waiter.ticket(), waiter.weight(), waiter.application(), waiter.instance(),
                    waiter.method(), waiter.since(), waiter.until(), now);
        }
        return text.toString();
    }

    private static void add(StringBuilder text, String kind, String permitId, long ticket, int weight, String application,
            String instance, String method, Instant since, Instant until, long now) {
        String row = String.join(" ", kind, encoded(permitId), Long.toString(ticket), Integer.toString(weight),
                encoded(application), encoded(instance), encoded(method), Long.toString(now - since.toEpochMilli()),
                Long.toString(until.toEpochMilli() - now));
        if (text.length() + row.length() < MOST_CHARACTERS) {
            text.append(row).append('\n');
        }
    }

    /**
     * Reads a text.
     *
     * @throws RuntimeException if it is none
     */
    static InstanceReport parse(BulkheadId bulkhead, String text) {
        Instant now = Instant.now();
        StringTokenizer words = new StringTokenizer(text);
        int inUse = Integer.parseInt(words.nextToken());
        int waiting = Integer.parseInt(words.nextToken());
        List<Holder> holders = new ArrayList<>();
        List<Waiter> waiters = new ArrayList<>();
        while (words.hasMoreTokens()) {
            String kind = words.nextToken();
            String permitId = decoded(words.nextToken());
            long ticket = Long.parseLong(words.nextToken());
            int weight = Integer.parseInt(words.nextToken());
            String application = decoded(words.nextToken());
            String instance = decoded(words.nextToken());
            String method = decoded(words.nextToken());
            Instant since = now.minusMillis(Long.parseLong(words.nextToken()));
            Instant until = now.plusMillis(Long.parseLong(words.nextToken()));
            if (!kind.equals(WAITER)) {
                holders.add(new Holder(permitId, bulkhead.name(), bulkhead.key(), ticket, weight, application, instance, method,
                        since, until, kind.equals(LEAKED) ? Holder.State.LEAKED : Holder.State.HELD));
            } else {
                waiters.add(new Waiter(permitId, bulkhead.name(), bulkhead.key(), ticket, weight, application, instance, method,
                        since, until));
            }
        }
        return new InstanceReport(Math.max(0, inUse), Math.max(0, waiting), holders, waiters);
    }
}
