package io.quarkiverse.redisbulkhead.runtime.store;

import io.quarkiverse.redisbulkhead.Holder;

/**
 * What stands in the record of a permit in place of its process, while no process has it. No process has braces in its name.
 */
public final class HolderMark {

    /** It was released and stays taken. */
    public static final String RELEASED = "{released}";

    private HolderMark() {
    }

    /**
     * What has become of a permit.
     *
     * @param process its process, or a mark
     */
    public static Holder.State state(String process) {
        return process.equals(RELEASED) ? Holder.State.RELEASED : Holder.State.HELD;
    }
}
