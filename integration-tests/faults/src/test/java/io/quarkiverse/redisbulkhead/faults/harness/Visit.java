package io.quarkiverse.redisbulkhead.faults.harness;

/**
 * One observed execution inside a guarded section. Its key and the id of its permit may be empty.
 *
 * @param worker the process it ran in
 * @param began when it was certainly inside, in nanoseconds of the observer
 * @param ended when it may have left, or {@link #NEVER}
 * @param lost when its process reported the loss of the permit, or {@link #NEVER}
 */
record Visit(String worker, String bulkhead, String key, String permit, long token, int weight, long began, long ended,
        long lost) {

    static final long NEVER = Long.MAX_VALUE;

    /** The end of its permit, as far as its process knew. */
    long over() {
        return Math.min(ended, lost);
    }

    /** Identifies a limit: the bulkhead, or one of its keys. */
    String limited() {
        return key.isEmpty() ? bulkhead : bulkhead + "/" + key;
    }

    Visit withBegin(long at) {
        return new Visit(worker, bulkhead, key, permit, token, weight, at, ended, lost);
    }

    Visit withEnd(long at) {
        return new Visit(worker, bulkhead, key, permit, token, weight, began, at, lost);
    }

    Visit withLoss(long at) {
        return new Visit(worker, bulkhead, key, permit, token, weight, began, ended, at);
    }

    @Override
    public String toString() {
        return limited() + " in " + worker + ", permit " + permit + ", token " + token + ", weight " + weight + ", from "
                + began / 1_000_000 + " ms to " + (over() == NEVER ? "now" : over() / 1_000_000 + " ms")
                + (lost == NEVER ? "" : ", lost");
    }
}
