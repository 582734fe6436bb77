package io.quarkiverse.redisbulkhead.benchmarks.report;

import io.quarkiverse.redisbulkhead.benchmarks.contender.Kind;
import io.quarkiverse.redisbulkhead.benchmarks.plot.Paint;

/** How contenders look in plots: ours blue, Redisson orange, the book grey, and what is no semaphore with an outline. */
final class Looks {

    private Looks() {
    }

    static Paint of(Kind kind) {
        return switch (kind) {
            case SCRIPT -> new Paint("#1d4ed8", false);
            case SCRIPT_FAIR -> new Paint("#60a5fa", false);
            case LOCK, LOCAL -> new Paint("#a5c8f5", false);
            case REDISSON_EXPIRABLE -> new Paint("#ea7317", false);
            case REDISSON_PLAIN -> new Paint("#f5b27a", false);
            case BASIC -> new Paint("#9ca3af", false);
            case FAIR -> new Paint("#6b7280", false);
            case LOCKED -> new Paint("#4b5563", false);
            case PINGS, POOLED_PINGS -> new Paint("#047857", true);
        };
    }

    static String label(Kind kind) {
        return kind.title().replace("`", "");
    }
}
