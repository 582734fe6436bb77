package io.quarkiverse.redisbulkhead.runtime.store;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;

/**
 * The weights of permits. A weight is part of the permit id, as in {@code *3*abc}; an id without such a start has weight 1.
 * So each operation knows the weight of its permit without reading it, and no lost record changes it.
 * <p>
 * In Redis, a permit of weight n is n entries of the sorted set of holders, so their number is what is in use: the id, and
 * the id with a space and a number from 2 to n. The entry with the plain id decides whether the permit is held.
 */
public final class Weights {

    private static final char MARK = '*';
    private static final char FURTHER = ' ';
    private static final int MOST_DIGITS = 4;

    private Weights() {
    }

    /**
     * The weight in a permit id.
     *
     * @param permitId a permit id, or anything
     * @return from 1 to {@value SemaphoreSpec#MAX_WEIGHT}
     */
    public static int of(String permitId) {
        if (permitId.isEmpty() || permitId.charAt(0) != MARK || isFurther(permitId)) {
            return 1;
        }
        int end = 1;
        int weight = 0;
        while (end < permitId.length() && end <= MOST_DIGITS && isDigit(permitId.charAt(end))) {
            weight = 10 * weight + permitId.charAt(end) - '0';
            end++;
        }
        boolean isMarked = end > 1 && end < permitId.length() && permitId.charAt(end) == MARK;
        return isMarked ? Math.max(1, Math.min(weight, SemaphoreSpec.MAX_WEIGHT)) : 1;
    }

    private static boolean isDigit(char character) {
        return character >= '0' && character <= '9';
    }

    /**
     * The id of a permit of that weight.
     *
     * @param weight from 1 to {@value SemaphoreSpec#MAX_WEIGHT}
     * @param id unique, and without a weight
     */
    public static String id(int weight, String id) {
        return weight == 1 ? id : MARK + Integer.toString(weight) + MARK + id;
    }

    /** All entries of a permit among the holders, the one with its id first. */
    public static List<String> entries(String permitId) {
        int weight = of(permitId);
        return weight == 1 ? List.of(permitId)
                : Stream.concat(Stream.of(permitId), furtherEntries(permitId)).toList();
    }

    /** The entries of a permit but that with its id. */
    public static Stream<String> furtherEntries(String permitId) {
        return IntStream.rangeClosed(2, of(permitId)).mapToObj(number -> permitId + FURTHER + number);
    }

    /** The permit of an entry; the entry itself when that is the one with the id. */
    public static String permitOf(String entry) {
        return isFurther(entry) ? entry.substring(0, entry.indexOf(FURTHER)) : entry;
    }

    /** Whether an entry is not the one with the id. */
    public static boolean isFurther(String entry) {
        return !entry.isEmpty() && entry.charAt(0) == MARK && entry.indexOf(FURTHER) >= 0;
    }
}
