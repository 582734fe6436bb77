package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.util.Optional;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.runtime.message.LogMessage;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException.Kind;

/**
 * Decides whether one server is away: with calls outstanding, nothing but transient failures has come from it for the command
 * timeout. A call that failed for a transient reason counts as outstanding for a while, because its sender tries again. What
 * cannot pass by itself, such as a wrong password, begins an outage at once. An outage ends when a probe succeeds.
 * <p>
 * Silence is counted in timer ticks. The event loop reads between two ticks, so a pause of this process counts as one tick.
 * <p>
 * Runs on the context of the {@link Topology}.
 */
final class Outage {

    private static final Logger LOG = Logger.getLogger(Outage.class);

    static final int TICKS_PER_TIMEOUT = 20;
    /** Longer than the pauses before a call is made again. */
    private static final long TRYING_AGAIN_MILLIS = 1_000;

    /**
     * Why calls fail immediately.
     *
     * @param temporary whether the server may be back at any moment, without a change of a setting
     */
    private record Cause(String message, boolean temporary) {
    }

    private final String label;
    private final String properties;
    private final long timeoutMillis;
    private final long tickMillis;
    private int outstanding;
    private long ticksOfDemand;
    private int silentTicks;
    private String lastError;
    private boolean replica;
    private Cause cause;

    /**
     * @param label what the server is called in messages; without secrets
     * @param properties what the properties of the Redis client start with: {@code quarkus.redis}
     * @param timeoutMillis the command timeout
     */
    Outage(String label, String properties, long timeoutMillis) {
        this.label = label;
        this.properties = properties;
        this.timeoutMillis = timeoutMillis;
        this.tickMillis = Math.max(1, timeoutMillis / TICKS_PER_TIMEOUT);
    }

    long tickMillis() {
        return tickMillis;
    }

    boolean isOn() {
        return cause != null;
    }

    /** Whether the server may be back at any moment. */
    boolean isTemporary() {
        return cause == null || cause.temporary;
    }

    /** Whether something waits for the server, or will in a moment. */
    boolean hasDemand() {
        return outstanding > 0 || ticksOfDemand > 0;
    }

    /** What a call fails with during the outage. */
    StoreException failure(boolean outcomeUnknown) {
        return new StoreException(cause.temporary ? Kind.AWAY : Kind.REFUSED, cause.message, outcomeUnknown);
    }

    /** The last transient failure since the server answered; null without one. */
    String lastError() {
        return lastError;
    }

    // ---- What happens to calls

    void callBegan() {
        if (!hasDemand()) {
            silentTicks = 0;
        }
        outstanding++;
    }

    void callEnded() {
        outstanding--;
    }

    /** The server answered: anything but a transient error shows that it is available. */
    void answered() {
        silentTicks = 0;
        ticksOfDemand = 0;
        replica = false;
        lastError = null;
    }

    /** The server answered with an error that passes. */
    void refused(ErrorReply error) {
        failed(error.explanation(properties));
        replica = error.is("READONLY");
    }

    /** A connection was lost, or could not be opened. */
    void failed(String reason) {
        lastError = reason;
        if (outstanding > 0) {
            ticksOfDemand = Math.max(1, TRYING_AGAIN_MILLIS / tickMillis);
        }
        LOG.debugf("%s: %s", label, reason);
    }

    /**
     * A new connection answered, for the first time since the server was known to have failed; the next command has its time.
     */
    void connecting() {
        if (lastError == null) {
            silentTicks = 0;
        }
    }

    /**
     * A tick has passed.
     *
     * @param counts whether it counts as silence
     * @return whether the outage begins now
     */
    boolean tick(boolean counts) {
        if (isOn() || !hasDemand()) {
            return false;
        }
        silentTicks += counts ? 1 : 0;
        ticksOfDemand -= ticksOfDemand > 0 ? 1 : 0;
        if (silentTicks <= TICKS_PER_TIMEOUT) {
            return false;
        }
        return begin(new Cause(label + " has not executed a command for " + timeoutMillis
                + " ms (quarkus.redis-bulkhead.command-timeout)" + (lastError == null ? "" : ". Last error: " + lastError),
                !replica));
    }

    /** The server cannot be used until a setting changes. */
    boolean begin(String message) {
        return begin(new Cause(label + " " + message, false));
    }

    private boolean begin(Cause begun) {
        boolean isNew = cause == null;
        if (isNew || !begun.message.equals(cause.message)) {
            LOG.warnf("%s. Bulkheads follow on-outage until %s is available. %s", begun.message, label, LogMessage.AWAY);
        }
        cause = begun;
        return isNew;
    }

    /**
     * A probe succeeded.
     *
     * @param refusal why the server refuses writes, if it does: for a reason that callers are to see
     */
    void end(Optional<ErrorReply> refusal) {
        cause = null;
        answered();
        refusal.ifPresentOrElse(
                error -> LOG.warnf("%s is available again, but it refuses writes. %s. %s", label, error.explanation(properties),
                        LogMessage.REFUSES_WRITES),
                () -> LOG.infof("%s is available again", label));
    }

    @Override
    public String toString() {
        return label;
    }
}
