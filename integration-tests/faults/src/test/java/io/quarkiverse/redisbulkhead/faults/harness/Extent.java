package io.quarkiverse.redisbulkhead.faults.harness;

/**
 * The extent of a scenario. The default build runs small scenarios and judges counts only. {@code -Dfaults.full=true}, which
 * {@code -Pfaults} sets, runs them in full and judges times as well.
 */
public final class Extent {

    private static final boolean FULL = Boolean.getBoolean("faults.full");

    private Extent() {
    }

    /** Whether scenarios run in full and judge times. */
    public static boolean isFull() {
        return FULL;
    }

    /** Returns the first number in the default build, else the second. */
    public static int of(int usual, int full) {
        return FULL ? full : usual;
    }
}
