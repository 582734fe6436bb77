package io.quarkiverse.redisbulkhead.benchmarks.load;

/** What is measured in each round. A pair is one permit taken and given back. */
public enum Measure {

    /** Pairs per second, of all callers together. */
    PAIRS_PER_SECOND("pairs-per-second", false),
    /** Microseconds that half of all pairs take at the most. */
    P50("p50", true),
    /** Microseconds that 99 of 100 pairs take at the most. */
    P99("p99", true),
    /** Microseconds that 999 of 1,000 pairs take at the most. */
    P999("p999", true),
    /** Microseconds of processor time of Redis for a pair. */
    REDIS_CPU("redis-cpu", true),
    /** Commands that Redis carries out for a pair, with those of scripts. */
    REDIS_COMMANDS("redis-commands", false),
    /** Commands that come over the network for a pair. */
    REDIS_CALLS("redis-calls", false),
    /** Bytes that all threads of the application allocate for a pair. */
    ALLOCATED("allocated", false),
    /** Microseconds of processor time of the application for a pair. */
    CLIENT_CPU("client-cpu", true);

    private final String id;
    private final boolean time;

    Measure(String id, boolean time) {
        this.id = id;
        this.time = time;
    }

    /** Whether it is a number of microseconds. */
    public boolean isTime() {
        return time;
    }

    /** Its name among the figures. */
    public String id() {
        return id;
    }
}
