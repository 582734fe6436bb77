package io.quarkiverse.redisbulkhead.faults.worker;

import io.smallrye.mutiny.Uni;

/** The guarded methods by name, as the harness asks for them. */
enum Guard {

    OPEN("open") {
        @Override
        void call(GuardedWork work, Execution execution) {
            work.open(execution);
        }

        @Override
        Uni<Void> callAsync(GuardedWork work, Execution execution) {
            return work.openAsync(execution);
        }
    },

    FAIR("fair") {
        @Override
        void call(GuardedWork work, Execution execution) {
            work.fair(execution);
        }

        @Override
        Uni<Void> callAsync(GuardedWork work, Execution execution) {
            return work.fairAsync(execution);
        }
    },

    SINGLE("single") {
        @Override
        void call(GuardedWork work, Execution execution) {
            work.single(execution);
        }

        @Override
        Uni<Void> callAsync(GuardedWork work, Execution execution) {
            throw new UnsupportedOperationException("single blocks");
        }
    },

    KEYED("keyed") {
        @Override
        void call(GuardedWork work, Execution execution) {
            work.keyed(execution, execution.key());
        }

        @Override
        Uni<Void> callAsync(GuardedWork work, Execution execution) {
            return work.keyedAsync(execution, execution.key());
        }
    };

    private final String bulkhead;

    Guard(String bulkhead) {
        this.bulkhead = bulkhead;
    }

    static Guard of(String bulkhead) {
        for (Guard guard : values()) {
            if (guard.bulkhead.equals(bulkhead)) {
                return guard;
            }
        }
        throw new IllegalArgumentException("There is no bulkhead " + bulkhead);
    }

    String bulkhead() {
        return bulkhead;
    }

    /** Calls the method that blocks. */
    abstract void call(GuardedWork work, Execution execution);

    /** Calls the method that returns a {@link Uni}. */
    abstract Uni<Void> callAsync(GuardedWork work, Execution execution);
}
