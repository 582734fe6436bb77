package io.quarkiverse.redisbulkhead.test;

import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.RedisSemaphore;

/** Lists holders and waiters, for error messages. */
final class OccupantsText {

    private static final int MOST = 20;

    private OccupantsText() {
    }

    /**
     * Reads the current holders and waiters.
     *
     * @param semaphore the bulkhead
     * @param own the ids of the permits that the test itself holds
     * @return several lines; never fails
     */
    static String of(RedisSemaphore semaphore, Set<String> own) {
        return section("Holders", semaphore::holders, holder -> row(holder.method(), holder.application(), holder.instance(),
                holder.since(), holder.permitId(), holder.weight())
                + (holder.state() == Holder.State.RELEASED ? ", released, and taken until " + holder.until() : "")
                + (holder.state() == Holder.State.SILENT ? ", does not answer, and has its permits until " + holder.until()
                        : "")
                + (own.contains(holder.permitId()) ? ", held by this TestBulkhead" : "")) + "\n"
                + section("Waiters", semaphore::waiters, waiter -> row(waiter.method(), waiter.application(),
                        waiter.instance(), waiter.since(), waiter.permitId(), waiter.weight()));
    }

    private static <T> String section(String title, Supplier<List<T>> question, Function<T, String> row) {
        List<T> rows;
        try {
            rows = question.get();
        } catch (RuntimeException e) {
            return title + ": not known, because " + e.getMessage();
        }
        if (rows.isEmpty()) {
            return title + ": none";
        }
        String more = rows.size() > MOST ? "\n  and " + (rows.size() - MOST) + " more" : "";
        return rows.stream().limit(MOST).map(row).collect(Collectors.joining("\n  ", title + ":\n  ", more));
    }

    private static String row(String method, String application, String instance, Instant since, String permitId,
            int weight) {
        return method + " of '" + application + "' on " + instance + ", since " + since + ", permit " + permitId
                + (weight == 1 ? "" : ", weight " + weight);
    }
}
