package io.quarkiverse.redisbulkhead.runtime.store;

import java.time.Duration;
import java.util.List;

/**
 * A store as the tests that all stores share see it: the same permits reached in two ways, as by two processes, and a
 * clock that stands still, at a whole millisecond, until the test moves it.
 */
public interface StoreFixture extends AutoCloseable {

    /** The store as one process sees it. */
    PermitStore first();

    /** The store as another process sees it; the same object where there cannot be another process. */
    PermitStore second();

    /** Whether a process can die while others go on, so that {@link #second()} is another process than {@link #first()}. */
    default boolean hasOtherProcesses() {
        return second() != first();
    }

    /** Whether the store may lose its data, and then serves no waiter for a moment. */
    default boolean mayLoseData() {
        return true;
    }

    /** Moves the clock of the store by whole milliseconds. */
    void advance(Duration duration);

    /** The notices that {@link #first()} or {@link #second()} gave, in their order. */
    List<Notice> notices(PermitStore store);

    /** The differing limits that {@link #first()} or {@link #second()} reported, in their order. */
    List<LimitMismatch> limitMismatches(PermitStore store);

    /** Returns when all notices caused by what was done until now have arrived. */
    void settleNotices();

    /** Forgets the notices that have arrived until now. */
    void forgetNotices();

    @Override
    void close();
}
