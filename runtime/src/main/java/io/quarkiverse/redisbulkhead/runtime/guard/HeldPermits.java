package io.quarkiverse.redisbulkhead.runtime.guard;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;

import io.quarkiverse.redisbulkhead.runtime.bulkhead.Admission;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.HeldPermit;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Semaphore;

/** The permits of the guarded methods that a thread is calling, the innermost last. */
public final class HeldPermits {

    // The innermost call first. A thread keeps its deque, because a call then allocates nothing for it; it is empty between calls, so no
    // thread holds on to anything of this application.
    private static final ThreadLocal<Deque<Admission>> CALLS = ThreadLocal.withInitial(() -> new ArrayDeque<>(1));

    private HeldPermits() {
    }

    /**
     * Calls a method that holds permits.
     *
     * @param admission has its permits, at least one
     * @param method the method
     * @return what it returned
     * @throws Exception what it threw
     */
    static <T> T with(Admission admission, Callable<T> method) throws Exception {
        Deque<Admission> calls = CALLS.get();
        calls.push(admission);
        try {
            return method.call();
        } finally {
            calls.pop();
        }
    }

    /**
     * The permit that was taken last.
     *
     * @return empty when this thread calls no guarded method
     */
    public static Optional<HeldPermit> innermost() {
        Admission admission = CALLS.get().peek();
        if (admission == null) {
            return Optional.empty();
        }
        List<HeldPermit> permits = admission.heldNow();
        return Optional.of(permits.get(permits.size() - 1));
    }

    /**
     * The permit of a bulkhead that was taken last.
     *
     * @param bulkhead the bulkhead's name
     * @return empty when no method that this thread is calling holds one
     */
    public static Optional<HeldPermit> innermost(String bulkhead) {
        return held(bulkhead).stream().findFirst();
    }

    private static List<HeldPermit> held(String bulkhead) {
        List<HeldPermit> held = new ArrayList<>(0);
        for (Admission call : CALLS.get()) {
            for (HeldPermit permit : call.heldNow()) {
                if (permit.bulkhead().equals(bulkhead)) {
                    held.add(permit);
                }
            }
        }
        return held;
    }

    /**
     * Prepares blocking calls that this thread makes within guarded calls: those end after them.
     *
     * @param semaphores what the calls must pass
     * @return the same, except that a call is rejected immediately if it would wait for a permit of a call around it
     */
    public static List<Semaphore> nested(List<Semaphore> semaphores) {
        return CALLS.get().isEmpty() ? semaphores : semaphores.stream().map(HeldPermits::nested).toList();
    }

    /**
     * As {@link #nested(List)}, for one semaphore.
     *
     * @param semaphore what the call must pass
     * @return for a call within those that this thread is making
     */
    public static Semaphore nested(Semaphore semaphore) {
        List<HeldPermit> around = held(semaphore.spec().name());
        return around.isEmpty() ? semaphore : semaphore.nestedIn(around);
    }
}
