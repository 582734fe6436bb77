package io.quarkiverse.redisbulkhead.runtime.guard;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.quarkiverse.redisbulkhead.runtime.semaphore.Admission;

/** Admissions that are granted, and whose end completes, when the test says so. */
class ManualAdmissions implements Supplier<Admission> {

    static class ManualAdmission implements Admission {

        final CompletableFuture<Void> granted = new CompletableFuture<>();
        final CompletableFuture<Void> ended = new CompletableFuture<>();
        int ends;

        @Override
        public CompletionStage<Void> granted() {
            return granted.minimalCompletionStage();
        }

        @Override
        public CompletionStage<Void> end() {
            ends++;
            return ended.minimalCompletionStage();
        }
    }

    final List<ManualAdmission> all = new ArrayList<>();
    private final Consumer<ManualAdmission> script;

    /** Granted and ended without a word of the test. */
    static ManualAdmissions automatic() {
        return new ManualAdmissions(admission -> {
            admission.granted.complete(null);
            admission.ended.complete(null);
        });
    }

    static ManualAdmissions manual() {
        return new ManualAdmissions(admission -> {
        });
    }

    static ManualAdmissions rejecting(Exception rejection) {
        return new ManualAdmissions(admission -> {
            admission.granted.completeExceptionally(rejection);
            admission.ended.complete(null);
        });
    }

    private ManualAdmissions(Consumer<ManualAdmission> script) {
        this.script = script;
    }

    @Override
    public Admission get() {
        ManualAdmission admission = new ManualAdmission();
        script.accept(admission);
        all.add(admission);
        return admission;
    }

    ManualAdmission last() {
        return all.get(all.size() - 1);
    }
}
