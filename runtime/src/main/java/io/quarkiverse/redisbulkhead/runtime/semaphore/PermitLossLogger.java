package io.quarkiverse.redisbulkhead.runtime.semaphore;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.PermitLost.Reason;

/** Logs each lost permit as a warning. */
public final class PermitLossLogger implements SemaphoreListener {

    private static final Logger LOG = Logger.getLogger(PermitLossLogger.class);

    @Override
    public void lost(PermitLost loss) {
        LOG.warnf("The permit of %s in bulkhead '%s' was lost before the execution ended: %s. Another execution may "
                + "run at the same time. Permit %s, fencing token %d", loss.method(), loss.bulkhead(),
                explanation(loss.reason()),
                loss.permitId(), loss.fencingToken());
    }

    private static String explanation(Reason reason) {
        return switch (reason) {
            case LEASE_ENDED -> "its lease ended, because the process was paused or the store did not reply";
            case MAX_HOLD -> "it was held for longer than max-hold";
            case REVOKED -> "it was revoked";
            case STOPPED -> "the application is stopping and released it";
            case GONE ->
                "the store no longer has it, because it was revoked, its lease ended during a pause, or data was lost";
        };
    }
}
