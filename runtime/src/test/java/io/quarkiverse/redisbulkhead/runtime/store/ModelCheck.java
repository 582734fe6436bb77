package io.quarkiverse.redisbulkhead.runtime.store;

import java.util.List;
import java.util.Optional;

import io.quarkiverse.redisbulkhead.runtime.store.ModelRun.Failure;

/** Compares a store with the model over many random histories. */
final class ModelCheck {

    private ModelCheck() {
    }

    /** Each history has a seed of its own: the given one, and those that follow. */
    static void check(StoreFixture stores, long firstSeed, int histories, int steps) {
        for (long seed = firstSeed; seed < firstSeed + histories; seed++) {
            List<ModelStep> history = HistoryGenerator.generate(seed, steps);
            Optional<Failure> failure = ModelRun.play(stores, history);
            if (failure.isPresent()) {
                throw new AssertionError(report(stores, seed, history.subList(0, failure.get().step() + 1), failure.get()));
            }
        }
    }

    private static String report(StoreFixture stores, long seed, List<ModelStep> failing, Failure failure) {
        List<ModelStep> shrunk = Shrinker.shrink(failing, candidate -> ModelRun.play(stores, candidate).isPresent());
        // A store that does not fail every time is reported with what it did the first time.
        String message = ModelRun.play(stores, shrunk).map(Failure::message).orElse("(only now and then) " + failure.message());
        StringBuilder report = new StringBuilder("The store does not do what the model does. To see it again: -Dmodel.seed=")
                .append(seed).append('\n');
        for (int i = 0; i < shrunk.size(); i++) {
            report.append("  ").append(i + 1).append(". ").append(shrunk.get(i)).append('\n');
        }
        return report.append(message).toString();
    }
}
