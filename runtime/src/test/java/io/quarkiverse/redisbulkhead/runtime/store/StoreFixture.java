package io.quarkiverse.redisbulkhead.runtime.store;

import java.time.Duration;
import java.util.List;

/**
 * A store for the contract tests: two views of the same permits, as of two processes, and a clock that stands still, at a
 * whole millisecond, until the test moves it.
 */
public interface StoreFixture extends AutoCloseable {

    /** The store as seen by one process. */
    PermitStore first();

    /** The store as seen by another process; the same object if the store has only one process. */
    PermitStore second();

    /** Whether a process can die while others continue, so that {@link #second()} differs from {@link #first()}. */
    default boolean hasOtherProcesses() {
        return second() != first();
    }

    /** Whether the store may lose its data, and then applies a grace period. */
    default boolean mayLoseData() {
        return true;
    }

    /** Moves the clock of the store by whole milliseconds. */
    void advance(Duration duration);

    /** The notifications that {@link #first()} or {@link #second()} received, in order. */
    List<Notice> notices(PermitStore store);

    /** The limit mismatches that {@link #first()} or {@link #second()} reported, in order. */
    List<LimitMismatch> limitMismatches(PermitStore store);

    /** Returns when all notifications caused so far have arrived. */
    void settleNotices();

    /** Clears the received notifications. */
    void forgetNotices();

    @Override
    void close();
}
