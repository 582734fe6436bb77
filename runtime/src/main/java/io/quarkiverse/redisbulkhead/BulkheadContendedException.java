package io.quarkiverse.redisbulkhead;

import java.util.Objects;

import org.eclipse.microprofile.faulttolerance.exceptions.BulkheadException;

/**
 * Too many calls competed for one bulkhead at the same moment, so this call did not get its turn. Permits may have been free.
 * Redis is not away, so {@link OnOutage} does not apply. A guarded method did not run.
 * <p>
 * Only the store {@code lock} can be contended; with the others this is never thrown.
 * <p>
 * In REST applications it becomes status 503 with {@code Retry-After}, unless the application maps it itself.
 *
 * @serial exclude
 */
public class BulkheadContendedException extends BulkheadException {

    private static final long serialVersionUID = 1L;

    private final String name;

    /**
     * Creates the exception.
     *
     * @param name the bulkhead, not null
     * @param cause the failure in the store, or null
     */
    public BulkheadContendedException(String name, Throwable cause) {
        super("Bulkhead '" + name + "' is contended: too many calls used it at the same time, so this call did not "
                + "get its turn. Permits may have been free. Let calls wait longer (max-wait; acquire-timeout for a "
                + "lock), increase quarkus.redis-bulkhead.lock-store.contention-timeout, or build the application "
                + "with quarkus.redis-bulkhead.store=script, which takes no lock", cause);
        this.name = Objects.requireNonNull(name);
    }

    /**
     * The bulkhead that was contended.
     *
     * @return its name, never null
     */
    public String name() {
        return name;
    }
}
