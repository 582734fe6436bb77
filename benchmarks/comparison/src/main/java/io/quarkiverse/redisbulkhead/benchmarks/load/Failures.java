package io.quarkiverse.redisbulkhead.benchmarks.load;

/** Failures of callers, who are expected to have none. */
final class Failures {

    private Failures() {
    }

    static IllegalStateException ofPair(Throwable failure) {
        return new IllegalStateException("A pair failed, so the figures mean nothing", failure);
    }
}
