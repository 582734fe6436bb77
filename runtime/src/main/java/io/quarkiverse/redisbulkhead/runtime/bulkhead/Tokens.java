package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The fencing tokens of this instance in one bulkhead: the block that executions draw from, and how many to ask the store for.
 * Each execution reserves a token of the newest block when it starts, and draws it when it is first asked for: a token for each
 * call would use up any block. Guarded by the bulkhead.
 */
final class Tokens {

    /** Consecutive tokens. */
    static final class Block {

        private static final Block EMPTY = new Block(0, 0);

        private long next;
        private long left;
        private long reserved;

        private Block(long first, long count) {
            this.next = first;
            this.left = count;
        }

        /** The execution ends without a token. */
        void giveBack() {
            reserved--;
        }

        /** Draws a token that was reserved. */
        long draw() {
            reserved--;
            left--;
            return next++;
        }
    }

    private static final long MOST = 1 << 20;
    // Tokens advance with the clock of the store, in microseconds, and this instance has heard of it a moment ago.
    private static final long FARTHEST = TimeUnit.HOURS.toMicros(1);
    private static final long FEW = 64;
    private static final long FEW_WHILE_KEPT = 1024;
    // For how long a block lasts at least, unless permits stay here: each grant brings a new one.
    private static final long LAST_NANOS = Duration.ofSeconds(1).toNanos();

    private final Share share;
    // The least weight of a call so far, which tells how many executions the share may serve.
    private int lightest = Integer.MAX_VALUE;
    private Block block = Block.EMPTY;
    // Of the tickets as well.
    private long highest;
    private boolean areShort;
    // How many were asked for, for how long they should last, and how many were drawn since.
    private long wanted;
    private long lastNanos = LAST_NANOS;
    private long askedNanos;
    private long drawn;

    Tokens(Share share) {
        this.share = share;
    }

    /** How many more executions may start. */
    long free() {
        return block.left - block.reserved;
    }

    Block reserve() {
        block.reserved++;
        return block;
    }

    /** Of all that this instance has seen, the tickets included. */
    long highest() {
        return highest;
    }

    void sawTicket(long ticket) {
        highest = Math.max(highest, ticket);
    }

    void sawWeight(int weight) {
        lightest = Math.min(lightest, weight);
    }

    /** Whether no store can have given a token by now. */
    boolean isTooFar(long token) {
        return token - highest > FARTHEST;
    }

    /** Whether they are too few, so that the store is to be asked although nothing else is to be stated. */
    boolean areShort() {
        return areShort;
    }

    /** Calls wait although permits are idle, if that is because there are no tokens. */
    void needed(boolean callsWait) {
        areShort = callsWait && free() <= 0;
    }

    /** A token was drawn. {@code true} when they have become too few. */
    boolean drawn() {
        drawn++;
        if (areShort || free() > 0 && free() >= enough() / 2) {
            return false;
        }
        areShort = true;
        return true;
    }

    /**
     * How many to ask for: enough for each execution that may run, and more where they are drawn often. Permits that stay here
     * serve calls as long as the lease runs, whether the store answers or not, so their tokens must last as long.
     */
    int toAskFor(boolean mayBeGranted, long leaseNanos, long now) {
        long last = share.keeps() ? Math.max(LAST_NANOS, leaseNanos) : LAST_NANOS;
        if (last < lastNanos) {
            wanted = (long) (wanted * ((double) last / lastNanos));
        }
        lastNanos = last;
        long target = enough();
        boolean tooFew = areShort || free() < target / 2;
        areShort = false;
        if (!tooFew && !mayBeGranted) {
            return 0;
        }
        if (tooFew) {
            // Blocks also become small because a message brings a new one.
            if (now - askedNanos < last && drawn >= wanted / 2) {
                wanted = Math.min(MOST, Math.max(share.keeps() ? FEW_WHILE_KEPT : FEW, 2 * wanted));
            } else {
                wanted = wanted / 2;
            }
            drawn = 0;
            askedNanos = now;
            target = Math.max(wanted, target);
        }
        return (int) Math.max(target, 1);
    }

    // While the store is away, kept permits may serve calls that are lighter than all before.
    private long enough() {
        long forKept = share.keeps() ? Math.min(share.size(), FEW_WHILE_KEPT) : 0;
        return Math.min(MOST, Math.max(wanted, Math.max(forKept, share.size() / lightest)));
    }

    /**
     * Takes over a block of the store.
     *
     * @param grants a permit that was granted, or was not known, may have had other holders since the last block was drawn. Its
     *        own block may have been lost with an answer
     */
    void take(boolean grants, long first, int count) {
        if (grants) {
            block = Block.EMPTY;
        }
        // Without a grant, what is left of this block must not be replaced by less.
        if (count > free() && first > highest) {
            block = new Block(first, count);
            highest = first + count - 1;
        }
    }
}
