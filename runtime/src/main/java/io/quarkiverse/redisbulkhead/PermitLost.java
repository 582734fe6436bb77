package io.quarkiverse.redisbulkhead;

import java.util.Optional;

/**
 * The CDI event for a permit that was lost while its execution ran. From then on, another execution may run in its place.
 * Observe it with {@code @Observes} or {@code @ObservesAsync}; synchronous observers are called on a worker
 * thread.
 *
 * @param bulkhead the bulkhead's name
 * @param key the key value that the permit counted for; empty if the bulkhead is used without a key
 * @param permitId the permit
 * @param fencingToken the permit's fencing token
 * @param method what the permit was taken for, as {@code Class#method}
 * @param reason why it was lost
 */
public record PermitLost(String bulkhead, Optional<String> key, String permitId, long fencingToken, String method,
        Reason reason) {

    /** Omits the key, which may be confidential. */
    @Override
    public String toString() {
        return "PermitLost[bulkhead=" + bulkhead + ", permitId=" + permitId + ", fencingToken=" + fencingToken + ", method="
                + method + ", reason=" + reason + "]";
    }

    /** Why a permit was lost. */
    public enum Reason {

        /** Its lease ran out, because the process was paused or renewals got no reply. */
        LEASE_ENDED,

        /** It ran for longer than {@code max-hold}. */
        MAX_HOLD,

        /** An operator revoked it. */
        REVOKED,

        /** The application stopped while the execution ran; the permit was released so that other calls need not wait. */
        STOPPED,

        /** Redis no longer knows it: it was revoked, its lease had ended, or the data was lost. */
        GONE
    }
}
