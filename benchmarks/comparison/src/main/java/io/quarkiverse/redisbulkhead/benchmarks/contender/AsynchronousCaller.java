package io.quarkiverse.redisbulkhead.benchmarks.contender;

import java.util.function.Consumer;

/** Takes a permit and gives it back without blocking. */
public interface AsynchronousCaller {

    /**
     * Begins to take a permit, and then gives it back.
     *
     * @param execution runs while the permit is held
     * @param end called when the permit is back; with null, or with the failure
     */
    void pair(Runnable execution, Consumer<Throwable> end);

    /**
     * Where the caller is at home: its pairs begin there unless they follow another pair.
     *
     * @param task runs there
     */
    default void atHome(Runnable task) {
        task.run();
    }
}
