package io.quarkiverse.redisbulkhead.faults.worker;

import io.quarkiverse.redisbulkhead.BulkheadContendedException;
import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.BulkheadUnavailableException;
import io.quarkiverse.redisbulkhead.PermitGoneException;

/** Describes a rejected call to the observer. */
final class Rejection {

    private Rejection() {
    }

    static String line(String bulkhead, Throwable failure) {
        return "no " + bulkhead + " " + kind(failure) + " " + String.valueOf(failure).replaceAll("\\s+", " ");
    }

    /** The word for a kind of failure: full, contended, gone, unavailable or other. */
    static String kind(Throwable failure) {
        if (failure instanceof BulkheadFullException) {
            return "full";
        }
        if (failure instanceof BulkheadContendedException) {
            return "contended";
        }
        if (failure instanceof PermitGoneException) {
            return "gone";
        }
        return failure instanceof BulkheadUnavailableException ? "unavailable" : "other";
    }
}
