package io.quarkiverse.redisbulkhead.runtime.guard;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;

import io.quarkiverse.redisbulkhead.runtime.semaphore.HeldPermit;
import io.quarkiverse.redisbulkhead.runtime.semaphore.Semaphore;

/** The permits of the guarded methods that a thread is calling, the innermost last. */
public final class HeldPermits {

    // A thread keeps its cell, which is cheaper than to set and to remove a value at each call. Between calls there is null in it, so that
    // no thread holds on to anything of this application.
    private static final ThreadLocal<Object[]> CELL = ThreadLocal.withInitial(() -> new Object[1]);

    private record Frame(List<HeldPermit> permits, Frame outer) {
    }

    private HeldPermits() {
    }

    /**
     * Calls a method that holds permits.
     *
     * @param permits those that it holds, at least one
     * @param method the method
     * @return what it returned
     * @throws Exception what it threw
     */
    static <T> T with(List<HeldPermit> permits, Callable<T> method) throws Exception {
        Object[] cell = CELL.get();
        Frame outer = (Frame) cell[0];
        cell[0] = new Frame(permits, outer);
        try {
            return method.call();
        } finally {
            cell[0] = outer;
        }
    }

    private static Frame current() {
        return (Frame) CELL.get()[0];
    }

    /**
     * The permit that was taken last.
     *
     * @return empty when this thread calls no guarded method
     */
    public static Optional<HeldPermit> innermost() {
        Frame frame = current();
        return frame == null ? Optional.empty() : Optional.of(frame.permits().get(frame.permits().size() - 1));
    }

    /**
     * The permit of a bulkhead that was taken last.
     *
     * @param bulkhead the bulkhead's name
     * @return empty when no method that this thread is calling holds one
     */
    public static Optional<HeldPermit> innermost(String bulkhead) {
        for (Frame frame = current(); frame != null; frame = frame.outer()) {
            for (HeldPermit permit : frame.permits()) {
                if (permit.bulkhead().equals(bulkhead)) {
                    return Optional.of(permit);
                }
            }
        }
        return Optional.empty();
    }

    /**
     * Prepares blocking calls that this thread makes within guarded calls: those end after them.
     *
     * @param semaphores what the calls must pass
     * @return the same, except that a call is rejected at once if it would wait for a permit of a call around it
     */
    public static List<Semaphore> nested(List<Semaphore> semaphores) {
        return current() == null ? semaphores : semaphores.stream().map(HeldPermits::nested).toList();
    }

    /**
     * As {@link #nested(List)}, for one semaphore.
     *
     * @param semaphore what the call must pass
     * @return for a call within those that this thread is making
     */
    public static Semaphore nested(Semaphore semaphore) {
        List<HeldPermit> around = new ArrayList<>(0);
        for (Frame frame = current(); frame != null; frame = frame.outer()) {
            for (HeldPermit permit : frame.permits()) {
                if (permit.bulkhead().equals(semaphore.spec().name())) {
                    around.add(permit);
                }
            }
        }
        return around.isEmpty() ? semaphore : semaphore.nestedIn(around);
    }
}
