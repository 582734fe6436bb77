package io.quarkiverse.redisbulkhead.runtime.bulkhead;

/**
 * Consecutive fencing tokens. Each execution reserves one of the newest block when it starts, and draws it when it is first
 * asked for: a token for each call would use up any block. Guarded by the bulkhead.
 */
final class TokenBlock {

    /** No tokens. */
    static final TokenBlock NONE = new TokenBlock(0, 0);

    private long next;
    private long left;
    private long reserved;

    TokenBlock(long first, long count) {
        this.next = first;
        this.left = count;
    }

    /** How many more executions may reserve a token. */
    long free() {
        return left - reserved;
    }

    void reserve() {
        reserved++;
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
