package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Makes permit ids that no other process makes: 94 random bits for this object, and a number that grows. Safe for use
 * by many threads.
 */
public final class PermitIds {

    private final String prefix;
    private final AtomicLong next = new AtomicLong();

    /** Draws the random part. */
    public PermitIds() {
        SecureRandom random = new SecureRandom();
        this.prefix = Long.toString(random.nextLong() >>> 1, 36) + Integer.toString(random.nextInt() >>> 1, 36) + "-";
    }

    /**
     * A new id.
     *
     * @return letters, digits and a hyphen
     */
    public String next() {
        return prefix + next.getAndIncrement();
    }
}
