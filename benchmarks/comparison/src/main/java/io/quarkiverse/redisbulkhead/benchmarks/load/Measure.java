package io.quarkiverse.redisbulkhead.benchmarks.load;

/** What is measured in each round. A pair is one permit acquired and released. */
public enum Measure {

    /** Pairs per second, of all callers together. */
    PAIRS_PER_SECOND("pairs-per-second"),
    /** Microseconds that half of all pairs take at most. */
    P50("p50"),
    /** Microseconds that 99 of 100 pairs take at most. */
    P99("p99"),
    /** Microseconds that 999 of 1,000 pairs take at most. */
    P999("p999"),
    /** Microseconds of processor time of Redis for a pair. */
    REDIS_CPU("redis-cpu"),
    /** Commands that Redis carries out for a pair, with those of scripts. */
    REDIS_COMMANDS("redis-commands"),
    /** Commands that come over the network for a pair. */
    REDIS_CALLS("redis-calls"),
    /** Bytes that all threads of the application allocate for a pair. */
    ALLOCATED("allocated"),
    /** Microseconds of processor time of the application for a pair. */
    CLIENT_CPU("client-cpu");

    private final String id;

    Measure(String id) {
        this.id = id;
    }

    /** Its name among the figures. */
    public String id() {
        return id;
    }
}
