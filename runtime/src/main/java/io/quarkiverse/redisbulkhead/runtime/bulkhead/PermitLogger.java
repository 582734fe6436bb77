package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.PermitLost.Reason;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.HeldPermit.PermitInUse;
import io.quarkiverse.redisbulkhead.runtime.message.LogMessage;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;

/** Logs warnings: each lost permit, calls that would wait for themselves, and different limits. Thread-safe. */
public final class PermitLogger implements SemaphoreListener {

    private static final Logger LOG = Logger.getLogger(PermitLogger.class);

    // Methods of generated classes and computed names of bulkheads are unbounded.
    private static final int MOST_REMEMBERED = 1_000;

    // What was logged last about a method or bulkhead. Full, it starts again: what is logged once may then be logged once more.
    private final Map<String, Object> logged = new ConcurrentHashMap<>();

    private boolean isNews(String about, Object value) {
        if (logged.size() >= MOST_REMEMBERED) {
            logged.clear();
        }
        return !value.equals(logged.put(about, value));
    }

    /** Once per method: every such call fails, and there may be many. */
    @Override
    public void nestedCallRejected(String method, RuntimeException rejection) {
        if (isNews("method " + method, true)) {
            LOG.warnf("%s was rejected, and retrying does not help. %s. This is logged once per method. %s", method,
                    rejection.getMessage(), LogMessage.NESTED);
        }
    }

    /** Once per bulkhead, and again when the limits change; for a bulkhead with keys, once for all keys. */
    @Override
    public void limitsDiffer(BulkheadId bulkhead, int own, Set<Integer> others) {
        String name = bulkhead.name();
        if (bulkhead.key().isPresent()) {
            if (isNews("keys " + name, true)) {
                LOG.infof("Calls use different limits for a key of bulkhead '%s': %d here, %s elsewhere or earlier. This "
                        + "is expected when a resolver changes the limit of a key. Otherwise, configure the same limit on "
                        + "all instances", name, own, others);
            }
        } else if (isNews("limit " + name, List.of(own, others))) {
            LOG.warnf("Instances have different limits for bulkhead '%s': permits=%d here, %s elsewhere. This is expected "
                    + "during a rollout. Otherwise, configure the same limit on all instances. %s", name, own, others,
                    LogMessage.LIMITS_DIFFER);
        }
    }

    @Override
    public void lost(PermitLost loss) {
        LOG.warnf("The permit of %s in bulkhead '%s' was lost before the execution ended: %s. Another execution may "
                + "run at the same time. Permit %s, fencing token %d. %s", loss.method(), loss.bulkhead(),
                explanation(loss.reason()), loss.permitId(), loss.fencingToken(), LogMessage.PERMIT_LOST);
    }

    @Override
    public void leaked(PermitInUse permit) {
        LOG.warnf("A permit of %s was not released, and no code refers to it any more: thread '%s' acquired it %s ago, in %s."
                + " It goes back in %s. Acquire permits in try-with-resources, or use run() and call(). Permit %s. %s",
                name(permit), permit.taker().thread(), text(permit.age()), place(permit), text(permit.expire()), permit.id(),
                LogMessage.LEAKED);
    }

    @Override
    public void heldLong(PermitInUse permit) {
        LOG.warnf("%s has held a permit of %s for %s, longer than warn-after. This is logged once per permit. Permit %s. %s",
                place(permit), name(permit), text(permit.age()), permit.id(), LogMessage.HELD_LONG);
    }

    private static String name(PermitInUse permit) {
        return "bulkhead '" + permit.bulkhead().name() + "'"
                + permit.bulkhead().key().map(key -> ", key '" + key + "'").orElse("");
    }

    private static String place(PermitInUse permit) {
        boolean recorded = permit.taker() != null && !permit.taker().place().isEmpty();
        return recorded ? permit.taker().place()
                : permit.method() + (permit.taker() == null ? "" : " (record-places=true adds the line)");
    }

    private static String text(Duration time) {
        return time.compareTo(Duration.ofSeconds(1)) < 0 ? time.toMillis() + " ms" : time.toSeconds() + " s";
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
