package io.quarkiverse.redisbulkhead;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

import org.eclipse.microprofile.faulttolerance.exceptions.BulkheadException;

/**
 * A call was rejected because its bulkhead did not have enough free permits. The guarded method did not run. If the call was
 * rejected without waiting because too many calls were already waiting, the message names the bound and its property. If the
 * current limit is below the weight of the call, the message says so.
 * <p>
 * In REST applications it becomes status 429 with {@code Retry-After}, unless the application maps it itself.
 *
 * @serial exclude
 */
public class BulkheadFullException extends BulkheadException {

    private static final long serialVersionUID = 1L;

    private final String name;
    // Null without a key: an Optional is not serializable.
    private final String key;

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
        this(name, Optional.empty(), limit, nearestLeaseEnd);
    }

    /**
     * Creates the exception for one key of a bulkhead. The message does not contain the key, which may be
     * confidential.
     *
     * @param name the bulkhead, not null
     * @param key the key value, not null; empty if the bulkhead is used without a key
     * @param limit the limit that was in force
     * @param nearestLeaseEnd how long from now until the first of the current leases ends, not null
     */
    public BulkheadFullException(String name, Optional<String> key, int limit, Duration nearestLeaseEnd) {
        this("Bulkhead '" + name + "' is full" + (key.isEmpty() ? "" : " for this key") + ": "
                + (limit == 1 ? "its only permit is taken; the lease ends in "
                        : "all " + limit + " permits are taken; the first of their leases ends in ")
                + nearestLeaseEnd.toMillis() + " ms", name, key, limit, nearestLeaseEnd);
    }

    /**
     * Creates the exception with a custom message.
     *
     * @param message what is full, not null
     * @param name the bulkhead, not null
     * @param key the key value, not null; empty if the bulkhead is used without a key
     * @param limit the limit that was in force
     * @param nearestLeaseEnd how long from now until the first of the current leases ends, not null
     */
    protected BulkheadFullException(String message, String name, Optional<String> key, int limit, Duration nearestLeaseEnd) {
        super(message);
        this.name = Objects.requireNonNull(name);
        this.key = key.orElse(null);
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
     * The key value whose permits are taken.
     *
     * @return empty if the bulkhead is used without a key
     */
    public Optional<String> key() {
        return Optional.ofNullable(key);
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
     * When the first of the current leases ends. Usually a permit is free long before, because a holder releases its permit as
     * soon as its execution has ended.
     *
     * @return the time from the rejection to the nearest lease end, never null, never negative
     */
    public Duration nearestLeaseEnd() {
        return nearestLeaseEnd;
    }
}
