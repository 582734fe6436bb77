package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicLong;

import io.quarkiverse.redisbulkhead.runtime.store.Weights;

/**
 * Generates permit ids that no other process generates: 96 random bits for this object, and a counter. Thread-safe.
 * <p>
 * Where many permits may be held at once, ids are longer than 64 bytes on purpose. Redis keeps a sorted set of up to 128 short
 * members in one piece of memory, which it searches from end to end, and any other as a skip list, in which a member is found
 * at once. The first one is smaller, so it is better for the many bulkheads of few permits that a key of each user makes.
 */
public final class PermitIds {

    /** Up to so many, searching from end to end is as fast. */
    private static final int FEW = 16;

    /** The default of {@code zset-max-ziplist-value}, now {@code zset-max-listpack-value}. */
    private static final int LONGEST_SHORT_MEMBER = 64;

    private final String prefix;
    private final String longPrefix;
    private final AtomicLong next = new AtomicLong();

    /** Draws the random part. */
    public PermitIds() {
        SecureRandom random = new SecureRandom();
        String unique = Long.toUnsignedString(random.nextLong(), 36) + Integer.toUnsignedString(random.nextInt(), 36);
        this.prefix = unique + "-";
        this.longPrefix = unique + "-".repeat(LONGEST_SHORT_MEMBER - unique.length());
    }

    /**
     * A new id.
     *
     * @param permits how many permits of its bulkhead there are
     * @param weight how many of them the permit takes
     * @return letters, digits and hyphens, behind the weight
     */
    public String next(int permits, int weight) {
        return Weights.id(weight, (permits <= FEW ? prefix : longPrefix) + next.getAndIncrement());
    }

    /**
     * The id of a permit that this process attaches; no other process makes it, and for the same fingerprint it is the same.
     *
     * @param permits how many permits of its bulkhead there are
     * @param weight how many of them the permit takes
     * @param fingerprint letters and digits, not digits only
     * @return letters, digits and hyphens, behind the weight
     */
    String attached(int permits, int weight, String fingerprint) {
        return Weights.id(weight, (permits <= FEW ? prefix : longPrefix) + "a-" + fingerprint);
    }

    /**
     * A new id for a store of this process.
     *
     * @param weight how many permits the permit takes
     * @return letters, digits and a hyphen, behind the weight
     */
    public String nextLocal(int weight) {
        return Weights.id(weight, prefix + next.getAndIncrement());
    }
}
