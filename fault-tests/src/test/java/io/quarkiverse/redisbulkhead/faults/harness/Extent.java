package io.quarkiverse.redisbulkhead.faults.harness;

/**
 * How much a scenario does. A usual build runs small scenarios and judges counts only. With {@code -Dfaults.full=true}, as
 * {@code -Pfaults} sets it, they do all of it and judge times as well.
 */
public final class Extent {

    private static final boolean FULL = Boolean.getBoolean("faults.full");

    private Extent() {
    }

    /** Whether times are judged as well. */
    public static boolean isFull() {
        return FULL;
    }

    /** The first number in a usual build, else the second. */
    public static int of(int usual, int full) {
        return FULL ? full : usual;
    }
}
