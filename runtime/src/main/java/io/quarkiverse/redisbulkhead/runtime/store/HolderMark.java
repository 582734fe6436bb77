package io.quarkiverse.redisbulkhead.runtime.store;

import io.quarkiverse.redisbulkhead.Holder;

/**
 * What stands in the record of a permit in place of its process, while no process has it. No process has braces in its name.
 */
public final class HolderMark {

    /** It was released and stays taken. */
    public static final String RELEASED = "{released}";

    private static final String DETACHED = "{detached}";

    private HolderMark() {
    }

    /** It was detached by a secret of that digest. */
    public static String detached(String digest) {
        return DETACHED + digest;
    }

    /**
     * What has become of a permit.
     *
     * @param process its process, or a mark
     */
    public static Holder.State state(String process) {
        return process.equals(RELEASED) ? Holder.State.RELEASED
                : process.startsWith(DETACHED) ? Holder.State.DETACHED : Holder.State.HELD;
    }
}
