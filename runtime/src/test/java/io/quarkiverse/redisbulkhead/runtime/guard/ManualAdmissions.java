package io.quarkiverse.redisbulkhead.runtime.guard;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Admission;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.HeldPermit;

/** Admissions that the test grants and ends. */
class ManualAdmissions implements Supplier<Admission> {

    static class ManualAdmission extends Admission.Pending {

        final CompletableFuture<Void> ended = new CompletableFuture<>();
        final ManualPermit permit = new ManualPermit();
        int ends;

        void grant() {
            completeGranted(List.of(permit));
        }

        void reject(Exception rejection) {
            completeRejected(rejection);
        }

        void waits() {
            completeAttempted();
        }

        @Override
        public CompletionStage<Void> end() {
            ends++;
            return ended.minimalCompletionStage();
        }
    }

    /** A permit that the test can lose. */
    static class ManualPermit implements HeldPermit {

        private final CompletableFuture<PermitLost> lost = new CompletableFuture<>();

        void lose() {
            lost.complete(new PermitLost(bulkhead(), key(), id(), 7, "A#a", PermitLost.Reason.REVOKED));
        }

        @Override
        public String bulkhead() {
            return "reports";
        }

        @Override
        public Optional<String> key() {
            return Optional.empty();
        }

        @Override
        public boolean isHeld() {
            return !lost.isDone();
        }

        @Override
        public CompletionStage<Boolean> refresh() {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<Boolean> release() {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<String> detach() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Optional<CompletionStage<PermitLost>> interruption() {
            return Optional.of(lost);
        }
    }

    final List<ManualAdmission> all = new CopyOnWriteArrayList<>();
    private final Consumer<ManualAdmission> script;

    /** Granted and ended automatically. */
    static ManualAdmissions automatic() {
        return automatic(admission -> {
        });
    }

    /** As {@link #automatic()}, after applying {@code before} to each admission. */
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

    /** Waiting from the start, until the test grants them. */
    static ManualAdmissions waiting() {
        return new ManualAdmissions(admission -> {
            admission.waits();
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
