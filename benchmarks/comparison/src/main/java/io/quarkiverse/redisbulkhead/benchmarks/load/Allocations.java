package io.quarkiverse.redisbulkhead.benchmarks.load;

import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Map;

import com.sun.management.ThreadMXBean;

/**
 * How many bytes each live thread has allocated since it began, by {@code com.sun.management.ThreadMXBean}. It costs nothing
 * while threads run.
 */
final class Allocations {

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final Map<Long, Long> bytesByThread;

    private Allocations(Map<Long, Long> bytesByThread) {
        this.bytesByThread = bytesByThread;
    }

    static Allocations now() {
        long[] ids = THREADS.getAllThreadIds();
        long[] bytes = THREADS.getThreadAllocatedBytes(ids);
        Map<Long, Long> byThread = new HashMap<>();
        for (int i = 0; i < ids.length; i++) {
            byThread.put(ids[i], bytes[i]);
        }
        return new Allocations(byThread);
    }

    /** What the threads that live now have allocated since an earlier reading. */
    long since(Allocations earlier) {
        return bytesByThread.entrySet().stream()
                .mapToLong(thread -> thread.getValue() - earlier.bytesByThread.getOrDefault(thread.getKey(), 0L)).sum();
    }
}
