package io.quarkiverse.redisbulkhead.runtime.store;

/** What a store tells an instance unasked. A message may be lost, late or repeated. */
public sealed interface ShareMessage {

    /** The bulkhead. */
    BulkheadId bulkhead();

    /**
     * Permits were offered to calls of this instance that wait. The offer ends {@value ShareStore#OFFER_MILLIS} ms after the
     * statement with that number was sent, unless a later statement is answered by then, which makes it part of the share.
     *
     * @param bulkhead the bulkhead
     * @param number the number of the last statement of this instance that the store had processed
     * @param epoch the epoch of the counters
     * @param granted as in {@link Position}
     * @param revoked as in {@link Position}
     * @param served as in {@link Position}
     * @param othersWait as in {@link Position}
     * @param firstToken as in {@link Position}
     * @param tokens as in {@link Position}
     */
    record Granted(BulkheadId bulkhead, long number, long epoch, long granted, long revoked, long served, boolean othersWait,
            long firstToken, int tokens) implements ShareMessage {
    }

    /**
     * Another instance needs permits: from now on each permit that is idle, or becomes idle, goes back. Answers to statements
     * up to that number cannot allow the instance to keep permits any more.
     *
     * @param bulkhead the bulkhead
     * @param number the number of the last statement of this instance that the store had processed
     */
    record Recalled(BulkheadId bulkhead, long number) implements ShareMessage {
    }

    /**
     * The position has changed otherwise, for example by a revocation or another limit: the instance states its position.
     *
     * @param bulkhead the bulkhead
     */
    record Changed(BulkheadId bulkhead) implements ShareMessage {
    }
}
