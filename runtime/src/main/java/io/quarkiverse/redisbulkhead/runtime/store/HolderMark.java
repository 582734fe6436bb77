package io.quarkiverse.redisbulkhead.runtime.store;

import io.quarkiverse.redisbulkhead.Holder;

/**
 * The values that replace the process in the record of a permit while no process holds it. Names of processes have no braces.
 */
public final class HolderMark {

    /** The permit was released and stays taken. */
    public static final String RELEASED = "{released}";

    private static final String DETACHED = "{detached}";

    private HolderMark() {
    }

    /** The permit was detached with a secret of that digest. */
    public static String detached(String digest) {
        return DETACHED + digest;
    }

    /**
     * The state of a permit.
     *
     * @param process its process, or a mark
     */
    public static Holder.State state(String process) {
        return process.equals(RELEASED) ? Holder.State.RELEASED
                : process.startsWith(DETACHED) ? Holder.State.DETACHED : Holder.State.HELD;
    }
}
