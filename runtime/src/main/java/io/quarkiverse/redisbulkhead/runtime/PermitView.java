package io.quarkiverse.redisbulkhead.runtime;

import static io.smallrye.mutiny.helpers.ParameterValidation.nonNull;

import java.lang.ref.Cleaner;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import io.quarkiverse.redisbulkhead.CurrentPermit;
import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.HeldPermit;
import io.quarkiverse.redisbulkhead.runtime.guard.BlockingWait;
import io.quarkiverse.redisbulkhead.runtime.guard.Continuations;
import io.quarkiverse.redisbulkhead.runtime.guard.HeldPermits;
import io.smallrye.mutiny.Uni;

/**
 * The public view of a permit. If code acquired it, a {@link Cleaner} notices when no code refers to the view any more. So what
 * code keeps to use the permit later, such as the {@code Uni} of {@link #releaseAsync()}, refers to the view.
 */
public final class PermitView implements Permit {

    private final HeldPermit permit;
    private final Continuations continuations;
    private final Cleaner.Cleanable watch;

    /**
     * @param permit the permit
     * @param continuations emits answers
     * @param cleaner null for the permit of a guarded method, which ends with its execution
     */
    PermitView(HeldPermit permit, Continuations continuations, Cleaner cleaner) {
        this.permit = permit;
        this.continuations = continuations;
        this.watch = cleaner == null ? null : cleaner.register(this, permit::abandoned);
    }

    @Override
    public String id() {
        return permit.id();
    }

    @Override
    public String bulkhead() {
        return permit.bulkhead();
    }

    @Override
    public Optional<String> key() {
        return permit.key();
    }

    @Override
    public long fencingToken() {
        return permit.fencingToken();
    }

    @Override
    public boolean isHeld() {
        return permit.isHeld();
    }

    @Override
    public boolean refresh() {
        return BlockingWait.reply("Permit", "refresh", bulkhead(), permit::refresh, reply -> {
        });
    }

    @Override
    public Uni<Boolean> refreshAsync() {
        return continuations.answer(() -> permit.refresh());
    }

    @Override
    public boolean release() {
        BlockingWait.requireAllowed("Permit", "release");
        return BlockingWait.awaitUninterruptibly(giveBack());
    }

    @Override
    public Uni<Boolean> releaseAsync() {
        return continuations.answer(this::giveBack);
    }

    @Override
    public String detach() {
        // The wait refers to this view, so the permit is not reported as dropped meanwhile.
        return BlockingWait.reply("Permit", "detach", bulkhead(), permit::detach, this::takeBack);
    }

    @Override
    public Uni<String> detachAsync() {
        return continuations.answer(() -> permit.detach(), token -> token, this::takeBack);
    }

    // No caller has the token.
    private void takeBack(CompletionStage<String> token) {
        token.thenAccept(unused -> permit.takeBack());
    }

    @Override
    public void close() {
        if (permit.awaitsRelease()) {
            release();
        } else {
            giveBack();
        }
    }

    private CompletionStage<Boolean> giveBack() {
        CompletionStage<Boolean> answer = permit.release();
        if (watch != null) {
            watch.clean();
        }
        return answer;
    }

    @Override
    public String toString() {
        return "Permit " + permit.id() + " of bulkhead '" + permit.bulkhead() + "', fencing token " + permit.fencingToken();
    }

    /** Finds the permits of the guarded method that the current thread is calling. */
    @Singleton
    public static class CurrentPermitBean implements CurrentPermit {

        private final Instance<BulkheadRuntime> runtime;

        /**
         * Creates the bean.
         *
         * @param runtime what permits work with; looked up when there is a permit, so that injecting this bean makes nothing
         */
        @Inject
        public CurrentPermitBean(Instance<BulkheadRuntime> runtime) {
            this.runtime = runtime;
        }

        @Override
        public Permit get() {
            return HeldPermits.innermost().map(this::view).orElseThrow(() -> new IllegalStateException(
                    "No method guarded by @RedisBulkhead is running on this thread. A method that returns a Uni must get "
                            + "its permit while it assembles the Uni"));
        }

        @Override
        public Optional<Permit> find(String bulkhead) {
            return HeldPermits.innermost(nonNull(bulkhead, "bulkhead")).map(this::view);
        }

        private Permit view(HeldPermit permit) {
            return new PermitView(permit, runtime.get().continuations(), null);
        }
    }
}
