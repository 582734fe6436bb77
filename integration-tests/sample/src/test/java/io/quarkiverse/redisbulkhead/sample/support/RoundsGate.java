package io.quarkiverse.redisbulkhead.sample.support;

import java.util.function.BooleanSupplier;

/**
 * A gate that works in rounds. When it is shut, it lets calls leave as soon as as many have been inside at once as the limit
 * allows, and a number of others have been rejected meanwhile. So each round reaches the limit, and gives calls beyond it every
 * chance to get in.
 */
public final class RoundsGate extends Gate {

    private final int limit;
    private final int rejectionsPerRound;
    private final int requests;
    private int timesFull;
    private int rejections;

    /**
     * Creates the gate.
     *
     * @param limit how many calls fill a round
     * @param rejectionsPerRound how many rejections a call waits for
     * @param requests how many requests there are in all; the last ones may not fill a round
     */
    public RoundsGate(int limit, int rejectionsPerRound, int requests) {
        this.limit = limit;
        this.rejectionsPerRound = rejectionsPerRound;
        this.requests = requests;
    }

    /** Records that a request was rejected. */
    public synchronized void rejected() {
        rejections++;
        notifyAll();
    }

    @Override
    public synchronized void shut() {
        super.shut();
        rejections = 0;
    }

    @Override
    BooleanSupplier roundOf(int inside) {
        int timesBefore = timesFull;
        int rejectionsBefore = rejections;
        if (inside >= limit) {
            timesFull++;
        }
        return () -> timesFull > timesBefore && rejections >= rejectionsBefore + rejectionsPerRound
                || arrived() + rejections == requests;
    }
}
