package io.quarkiverse.redisbulkhead.benchmarks.contender;

/** A contender that has no exception of its own got no permit. */
final class RejectedException extends RuntimeException {

    private static final long serialVersionUID = 1;

    RejectedException() {
        // They answer with a value, which costs no stack trace.
        super("Rejected", null, false, false);
    }
}
