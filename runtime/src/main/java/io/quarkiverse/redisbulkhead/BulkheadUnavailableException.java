package io.quarkiverse.redisbulkhead;

import java.util.Objects;

import org.eclipse.microprofile.faulttolerance.exceptions.BulkheadException;

/**
 * Redis could not serve the call: it is down, did not answer within {@code quarkus.redis-bulkhead.command-timeout}, or refused
 * the command; or the application is stopping. A guarded method did not run.
 * <p>
 * In REST applications it becomes status 503 with {@code Retry-After}, unless the application maps it itself.
 *
 * @serial exclude
 */
public class BulkheadUnavailableException extends BulkheadException {

    private static final long serialVersionUID = 1L;

    private final String name;

    /**
     * Creates the exception.
     *
     * @param name the bulkhead, not null
     * @param reason what went wrong and what to do about it, not null
     * @param cause the failure behind it, or null
     */
    public BulkheadUnavailableException(String name, String reason, Throwable cause) {
        super("Bulkhead '" + name + "' is unavailable: " + reason, cause);
        this.name = Objects.requireNonNull(name);
    }

    /**
     * The bulkhead that could not be checked.
     *
     * @return its name, never null
     */
    public String name() {
        return name;
    }
}
