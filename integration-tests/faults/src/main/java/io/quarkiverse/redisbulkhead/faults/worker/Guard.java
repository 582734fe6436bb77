package io.quarkiverse.redisbulkhead.faults.worker;

import io.smallrye.mutiny.Uni;

/** The guarded methods, by the name that the harness sends. */
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

    /** Calls of the bulkhead with weight 1. */
    PAIR("pair") {
        @Override
        void call(GuardedWork work, Execution execution) {
            work.light(execution);
        }

        @Override
        Uni<Void> callAsync(GuardedWork work, Execution execution) {
            return work.lightAsync(execution);
        }
    },

    /** Calls of the same bulkhead that take the whole limit. */
    HEAVY("heavy", "pair", 2) {
        @Override
        void call(GuardedWork work, Execution execution) {
            work.heavy(execution);
        }

        @Override
        Uni<Void> callAsync(GuardedWork work, Execution execution) {
            throw new UnsupportedOperationException("heavy blocks");
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

    private final String command;
    private final String bulkhead;
    private final int weight;

    Guard(String bulkhead) {
        this(bulkhead, bulkhead, 1);
    }

    Guard(String command, String bulkhead, int weight) {
        this.command = command;
        this.bulkhead = bulkhead;
        this.weight = weight;
    }

    /**
     * Returns the method that the harness names.
     *
     * @param command the bulkhead, or {@code heavy}
     */
    static Guard of(String command) {
        for (Guard guard : values()) {
            if (guard.command.equals(command)) {
                return guard;
            }
        }
        throw new IllegalArgumentException("There is no guarded method for " + command);
    }

    String bulkhead() {
        return bulkhead;
    }

    int weight() {
        return weight;
    }

    /** Calls the method that blocks. */
    abstract void call(GuardedWork work, Execution execution);

    /** Calls the method that returns a {@link Uni}. */
    abstract Uni<Void> callAsync(GuardedWork work, Execution execution);
}
