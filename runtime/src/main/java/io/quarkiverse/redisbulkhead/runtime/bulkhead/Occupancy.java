package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.StringTokenizer;
import java.util.TreeMap;

import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.Waiter;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;

/**
 * The holders and waiters of a bulkhead at one instant.
 *
 * @param inUse what the permits of executions, and those that no instance holds, weigh together; and the shares of instances
 *        that did not answer
 * @param idleAt how many more permits instances keep that no execution uses: by host and process
 * @param waiting the number of live waiters
 * @param resizedTo the limit that an operator set
 * @param declaredLimits the different limits that requests declared within the last minute, ascending
 * @param holders the holders, ordered by lease end; fewer than {@code inUse} if fewer were requested
 * @param waiters the waiters, fair ones first, in order; fewer than {@code waiting} if fewer were requested
 */
public record Occupancy(int inUse, SortedMap<String, Integer> idleAt, int waiting, OptionalInt resizedTo,
        SortedSet<Integer> declaredLimits, List<Holder> holders, List<Waiter> waiters) {

    /** Longer texts are not delivered. */
    private static final int MOST_CHARACTERS = 45_000;

    private static final String WAITER = "WAITER";

    /** How many permits are idle. */
    public int idle() {
        return idleAt.values().stream().mapToInt(Integer::intValue).sum();
    }

    /**
     * What one instance knows.
     *
     * @param inUse what the permits of its executions weigh together
     */
    static Occupancy ofInstance(int inUse, int waiting, List<Holder> holders, List<Waiter> waiters) {
        return new Occupancy(inUse, Collections.emptySortedMap(), waiting, OptionalInt.empty(), Collections.emptySortedSet(),
                holders, waiters);
    }

    /** A text without white space. */
    static String encoded(String text) {
        return '=' + URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    /** Undoes {@link #encoded}. */
    static String decoded(String text) {
        return URLDecoder.decode(text.substring(1), StandardCharsets.UTF_8);
    }

    /**
     * What an instance tells another one: the first line has the numbers and its name, and each other line has a holder or a
     * waiter. Times are relative, because clocks differ. Rows that do not fit are left out.
     *
     * @param instance host and process
     */
    String text(String instance) {
        long now = System.currentTimeMillis();
        StringBuilder text = new StringBuilder().append(inUse).append(' ').append(waiting).append(' ')
                .append(encoded(instance)).append('\n');
        for (Holder holder : holders) {
            add(text, holder.state().name(), holder.permitId(), holder.ticket(), holder.weight(), holder.application(),
                    holder.instance(), holder.method(), holder.since(), holder.until(), now);
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
     * Reads what another instance tells.
     *
     * @return {@code idleAt} has its name, and zero: it does not know the share that the store has for it
     * @throws RuntimeException if it is none
     */
    static Occupancy parse(BulkheadId bulkhead, String text) {
        Instant now = Instant.now();
        StringTokenizer words = new StringTokenizer(text);
        int inUse = Integer.parseInt(words.nextToken());
        int waiting = Integer.parseInt(words.nextToken());
        String ownName = decoded(words.nextToken());
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
                        since, until, Holder.State.valueOf(kind)));
            } else {
                waiters.add(new Waiter(permitId, bulkhead.name(), bulkhead.key(), ticket, weight, application, instance, method,
                        since, until));
            }
        }
        return new Occupancy(Math.max(0, inUse), new TreeMap<>(Map.of(ownName, 0)), Math.max(0, waiting), OptionalInt.empty(),
                Collections.emptySortedSet(), holders, waiters);
    }
}
