package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.PermitLost.Reason;

/** Logs warnings: each lost permit, and calls that would wait for themselves. Thread-safe. */
public final class PermitLogger implements SemaphoreListener {

    private static final Logger LOG = Logger.getLogger(PermitLogger.class);

    // The code of an application has a bounded number of methods, unless it generates classes.
    private static final int MOST_METHODS = 1_000;

    private final Set<String> logged = ConcurrentHashMap.newKeySet();

    /** Once per method: every such call fails, and there may be many. */
    @Override
    public void nestedCallRejected(String method, RuntimeException rejection) {
        if (logged.size() < MOST_METHODS && logged.add(method)) {
            LOG.warnf("%s was rejected, and retrying does not help. %s. This is logged once per method", method,
                    rejection.getMessage());
        }
    }

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
