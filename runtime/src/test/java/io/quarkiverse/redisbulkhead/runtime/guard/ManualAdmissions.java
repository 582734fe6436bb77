package io.quarkiverse.redisbulkhead.runtime.guard;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.quarkiverse.redisbulkhead.runtime.semaphore.Admission;
import io.quarkiverse.redisbulkhead.runtime.semaphore.HeldPermit;

/** Admissions that are granted, and whose end completes, when the test says so. */
class ManualAdmissions implements Supplier<Admission> {

    static class ManualAdmission implements Admission {

        final CompletableFuture<List<HeldPermit>> granted = new CompletableFuture<>();
        final CompletableFuture<Void> asked = new CompletableFuture<>();
        final CompletableFuture<Void> ended = new CompletableFuture<>();
        final ManualPermit permit = new ManualPermit();
        int ends;

        @Override
        public List<HeldPermit> heldNow() {
            return granted.isDone() && !granted.isCompletedExceptionally() ? granted.join() : List.of();
        }

        /** The outcome is in the stage only. */
        @Override
        public boolean isHeldNow() {
            return false;
        }

        @Override
        public CompletionStage<List<HeldPermit>> granted() {
            return granted.minimalCompletionStage();
        }

        @Override
        public CompletionStage<Void> attempted() {
            return asked.minimalCompletionStage();
        }

        void grant() {
            granted.complete(List.of(permit));
            asked.complete(null);
        }

        void reject(Exception rejection) {
            granted.completeExceptionally(rejection);
            asked.complete(null);
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
        return automatic(admission -> {
        });
    }

    /** As {@link #automatic()}, after something has been done to each. */
    static ManualAdmissions automatic(Consumer<ManualAdmission> before) {
        return new ManualAdmissions(admission -> {
            before.accept(admission);
            admission.grant();
            admission.ended.complete(null);
        });
    }

    static ManualAdmissions manual() {
        return new ManualAdmissions(admission -> {
        });
    }

    /** Not granted before the test says so, and that is clear at once. */
    static ManualAdmissions waiting() {
        return new ManualAdmissions(admission -> {
            admission.asked.complete(null);
            admission.ended.complete(null);
        });
    }

    static ManualAdmissions rejecting(Exception rejection) {
        return new ManualAdmissions(admission -> {
            admission.reject(rejection);
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
