package io.quarkiverse.redisbulkhead.faults.worker;

import java.util.Arrays;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;

import io.smallrye.mutiny.Uni;

/** The guarded methods, by the name that the harness sends. */
enum Guard {

    OPEN("open", "open", 1, GuardedWork::open, GuardedWork::openAsync),

    FAIR("fair", "fair", 1, GuardedWork::fair, GuardedWork::fairAsync),

    SINGLE("single", "single", 1, GuardedWork::single, null),

    /** Calls of the bulkhead with weight 1. */
    PAIR("pair", "pair", 1, GuardedWork::light, GuardedWork::lightAsync),

    /** Calls of the same bulkhead that take the whole limit. */
    HEAVY("heavy", "pair", 2, GuardedWork::heavy, null),

    KEYED("keyed", "keyed", 1, (work, execution) -> work.keyed(execution, execution.key()),
            (work, execution) -> work.keyedAsync(execution, execution.key()));

    private final String command;
    private final String bulkhead;
    private final int weight;
    private final BiConsumer<GuardedWork, Execution> blocking;
    private final Optional<BiFunction<GuardedWork, Execution, Uni<Void>>> asynchronous;

    Guard(String command, String bulkhead, int weight, BiConsumer<GuardedWork, Execution> blocking,
            BiFunction<GuardedWork, Execution, Uni<Void>> asynchronous) {
        this.command = command;
        this.bulkhead = bulkhead;
        this.weight = weight;
        this.blocking = blocking;
        this.asynchronous = Optional.ofNullable(asynchronous);
    }

    /** Returns the method that the harness names: the bulkhead, or {@code heavy}. */
    static Guard of(String command) {
        return Arrays.stream(values()).filter(guard -> guard.command.equals(command)).findFirst()
                .orElseThrow(() -> new IllegalArgumentException("There is no guarded method for " + command));
    }

    String bulkhead() {
        return bulkhead;
    }

    int weight() {
        return weight;
    }

    void call(GuardedWork work, Execution execution) {
        blocking.accept(work, execution);
    }

    /** Calls the method that returns a {@link Uni}. */
    Uni<Void> callAsync(GuardedWork work, Execution execution) {
        return asynchronous.orElseThrow(() -> new UnsupportedOperationException(this + " blocks")).apply(work, execution);
    }
}
