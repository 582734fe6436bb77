package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import java.time.Duration;

import io.quarkiverse.redisbulkhead.runtime.store.Position;
import io.quarkiverse.redisbulkhead.runtime.store.ShareMessage.Granted;
import io.quarkiverse.redisbulkhead.runtime.store.ShareStore;

/**
 * The permits of one bulkhead that this instance has from the store: how many, until when, and how many of them are in use.
 * Counts what was granted, returned and revoked. These counters only grow, within an epoch, so that a statement of them may be
 * lost, late or repeated. Guarded by the bulkhead.
 */
final class Share {

    // What is left of an offer when it ends here, for a clock that runs at another rate.
    private static final long OFFER_NANOS = Duration.ofMillis(ShareStore.OFFER_MILLIS - 200).toNanos();
    // An execution that ends within this time confirms the offer that it used by its return, which saves a statement.
    private static final long CONFIRMATION_NANOS = Duration.ofMillis(10).toNanos();
    // Many bulkheads return what was idle in one go, which costs Redis less.
    private static final int RETURNS_PER_WINDOW = 100;

    // 0 without a position in the store.
    private long epoch;
    private long granted;
    private long returned;
    private long revoked;
    private long leaseEndNanos;
    // What a message has granted, and no answer has confirmed yet.
    private int offered;
    private long offerEndNanos;
    private long confirmNanos;
    private long validUntilNanos;

    private int limit = Integer.MAX_VALUE;
    // The permits that executions use; and those that go back with the next statement. The rest is idle.
    private int inUse;
    private int returning;
    private boolean keeps;
    // The fewest permits that were idle since the window began: those were not needed.
    private int fewestIdle;
    private boolean windowOpen;
    private long windowEndNanos;

    int size() {
        return (int) (granted - returned - revoked);
    }

    /** May be negative when the limit was lowered. */
    int idle() {
        return Math.min(size(), limit) - inUse - returning;
    }

    /** The limit in force, as far as this instance knows. */
    int limit() {
        return limit;
    }

    void limitTo(int permits) {
        limit = permits;
    }

    // ---- In use

    /** How many permits executions use. */
    int inUse() {
        return inUse;
    }

    void use(int weight) {
        inUse += weight;
        fewestIdle = Math.min(fewestIdle, idle());
    }

    /** They are idle from now on, unless they go back or leave the share. */
    void stopUsing(int weight) {
        inUse -= weight;
    }

    // ---- Going back

    /** Whether permits go back with the next statement. */
    boolean isReturning() {
        return returning > 0;
    }

    /** Permits that are not in use go back with the next statement. */
    void startReturning(int permits) {
        returning += Math.max(0, Math.min(permits, size() - inUse - returning));
    }

    /** They have not left yet. */
    void stopReturning() {
        returning = 0;
    }

    /** A statement is built: what goes back with it counts as returned. */
    void giveBackReturning() {
        int leaving = returning;
        returning = 0;
        giveBack(leaving);
    }

    // ---- The position

    long epoch() {
        return epoch;
    }

    long granted() {
        return granted;
    }

    long returned() {
        return returned;
    }

    long revoked() {
        return revoked;
    }

    /**
     * Permits count as returned from now on, and are never used again, whatever becomes of the statement. What was offered goes
     * first: if the store takes the offer back, it has not seen the return.
     */
    void giveBack(int permits) {
        returned += permits;
        offered = Math.max(0, offered - permits);
        boundUse();
    }

    /**
     * Takes over what the store answers.
     *
     * @param leaseEnd when the share ends here
     * @return how many permits may stay in use
     */
    int answered(Position position, long leaseEnd) {
        int mostInUse;
        if (position.epoch() == epoch) {
            granted = Math.max(granted, position.granted());
            revoked = Math.max(revoked, Math.min(position.revoked(), granted - returned));
            // What was offered after the store had processed this statement is not confirmed.
            offered = (int) Math.min(offered, granted - position.granted());
            mostInUse = size();
        } else {
            // The store did not know the position, and has admitted what the statement claimed. What was offered since is void.
            // If an offer has ended here since, no statement has returned it: what was admitted of it goes back like all that
            // is idle.
            epoch = position.epoch();
            granted = position.granted();
            returned = 0;
            revoked = 0;
            offered = 0;
            mostInUse = (int) position.admitted();
        }
        leaseEndNanos = leaseEnd;
        boundUse();
        boundReturns(mostInUse);
        return mostInUse;
    }

    /**
     * Takes over what a message grants.
     *
     * @param basisNanos when the statement was sent that the offer is based on
     * @return how many permits are new; 0 if the offer is not about this position, or is over
     */
    int addOffer(Granted offer, long basisNanos, long now) {
        long more = offer.granted() - granted;
        // Any client that may publish can send any number.
        if (epoch == 0 || offer.epoch() != epoch || offer.revoked() != revoked || more <= 0 || more > limit
                || basisNanos + OFFER_NANOS - now <= 0) {
            return 0;
        }
        granted = offer.granted();
        if (offered == 0 || basisNanos + OFFER_NANOS - offerEndNanos < 0) {
            offerEndNanos = basisNanos + OFFER_NANOS;
        }
        confirmNanos = offered == 0 ? now + CONFIRMATION_NANOS : confirmNanos;
        offered += (int) more;
        boundUse();
        return (int) more;
    }

    boolean hasUnconfirmed() {
        return offered > 0;
    }

    /** When a statement is to confirm what was offered. */
    long confirmNanos() {
        return confirmNanos;
    }

    // ---- The lease

    /** Whether it has ended here, for all of the share or for what was offered. */
    boolean isOver(long now) {
        return validUntilNanos - now <= 0;
    }

    /** When the share must not be used any more. */
    long validUntilNanos() {
        return validUntilNanos;
    }

    /** When the lease of what is confirmed ends here. */
    long leaseEndNanos() {
        return leaseEndNanos;
    }

    private void boundUse() {
        boolean offerEndsFirst = offered == size() || offerEndNanos - leaseEndNanos < 0;
        validUntilNanos = offered > 0 && offerEndsFirst ? offerEndNanos : leaseEndNanos;
    }

    private void boundReturns(int size) {
        returning = Math.max(0, Math.min(returning, size - inUse));
    }

    /**
     * The lease has ended here. If only that of what was offered has, that counts as returned: the store may have taken the
     * offer back, or made it part of the share.
     *
     * @return how many permits are left
     */
    int endLease(long now) {
        if (offered > 0 && size() > offered && leaseEndNanos - now > 0) {
            giveBack(offered);
            boundReturns(size());
            return size();
        }
        epoch = 0;
        granted = 0;
        returned = 0;
        revoked = 0;
        offered = 0;
        returning = 0;
        keeps = false;
        return 0;
    }

    // ---- Keeping

    /** Whether a permit stays here when its execution has ended. */
    boolean keeps() {
        return keeps;
    }

    void keep(boolean mayKeep) {
        keeps = mayKeep;
    }

    /**
     * What was idle for a whole window goes back.
     *
     * @param mayReturn {@code false} while the store does not answer: what is left must serve calls until it does
     */
    void closeWindow(long now, long keepIdleNanos, boolean mayReturn) {
        if (!keeps || size() == 0) {
            windowOpen = false;
        } else if (!windowOpen || windowEndNanos - now <= 0) {
            if (windowOpen && mayReturn) {
                startReturning(Math.min(fewestIdle, idle()));
            }
            windowOpen = true;
            windowEndNanos = now + keepIdleNanos;
            windowEndNanos += Math.floorMod(-windowEndNanos, Math.max(1, keepIdleNanos / RETURNS_PER_WINDOW));
            fewestIdle = Math.max(0, idle());
        }
    }

    boolean isWindowOpen() {
        return windowOpen;
    }

    long windowEndNanos() {
        return windowEndNanos;
    }
}
