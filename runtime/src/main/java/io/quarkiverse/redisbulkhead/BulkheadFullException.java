package io.quarkiverse.redisbulkhead;

import java.time.Duration;
import java.util.Objects;

import org.eclipse.microprofile.faulttolerance.exceptions.BulkheadException;

/**
 * A call was rejected because all permits of its bulkhead were taken. The guarded method did not run.
 * <p>
 * In REST applications it becomes status 429 with {@code Retry-After}, unless the application maps it itself.
 */
public class BulkheadFullException extends BulkheadException {

    private static final long serialVersionUID = 1L;

    private final String name;
    private final int limit;
    private final Duration nearestLeaseEnd;

    /**
     * Creates the exception.
     *
     * @param name the bulkhead, not null
     * @param limit the limit that was in force
     * @param nearestLeaseEnd how long from now until the first of the current leases ends, not null
     */
    public BulkheadFullException(String name, int limit, Duration nearestLeaseEnd) {
        super("Bulkhead '" + name + "' is full: all " + limit + (limit == 1 ? " permit is" : " permits are")
                + " taken; the nearest lease ends in " + nearestLeaseEnd.toMillis() + " ms at the latest");
        this.name = Objects.requireNonNull(name);
        this.limit = limit;
        this.nearestLeaseEnd = nearestLeaseEnd;
    }

    /**
     * The bulkhead that is full.
     *
     * @return its name, never null
     */
    public String name() {
        return name;
    }

    /**
     * The limit that was in force.
     *
     * @return the number of permits
     */
    public int limit() {
        return limit;
    }

    /**
     * When a permit is free at the latest, even if its holder has crashed. Usually one is free long before, because a holder
     * gives its permit back as soon as its execution has ended.
     *
     * @return the time from the rejection to the nearest lease end, never null, never negative
     */
    public Duration nearestLeaseEnd() {
        return nearestLeaseEnd;
    }
}
