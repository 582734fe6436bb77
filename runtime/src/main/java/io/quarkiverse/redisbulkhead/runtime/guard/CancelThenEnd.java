package io.quarkiverse.redisbulkhead.runtime.guard;

import java.util.concurrent.CompletableFuture;

import io.quarkiverse.redisbulkhead.runtime.semaphore.Admission;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.operators.AbstractUni;
import io.smallrye.mutiny.operators.UniOperator;
import io.smallrye.mutiny.operators.multi.AbstractMultiOperator;
import io.smallrye.mutiny.operators.multi.MultiOperatorProcessor;
import io.smallrye.mutiny.operators.uni.UniOperatorProcessor;
import io.smallrye.mutiny.subscription.MultiSubscriber;
import io.smallrye.mutiny.subscription.UniSubscriber;

/**
 * Ends an admission with its execution. A cancellation first cancels the execution, then ends the admission, so that no other
 * call gets the permit while the execution still runs. Mutiny's {@code onCancellation()} has the opposite order.
 * <p>
 * It does not wait for the end of the admission, so that a permit that is granted later does not start the method any more.
 */
final class CancelThenEnd {

    private CancelThenEnd() {
    }

    /** Also ends the admission at item and failure, and emits when that has ended. */
    static <T> Uni<T> uni(Uni<T> execution, Admission admission, AsyncWait wait) {
        // Not plugged: it runs nothing that needs the caller's context, which Quarkus propagates to each operator that is.
        return new OfUni<>(execution, admission, wait);
    }

    static <T> Multi<T> multi(Multi<T> stream, Runnable end) {
        return stream.plug(upstream -> new OfMulti<>(upstream, end));
    }

    private static final class OfUni<T> extends UniOperator<T, T> {

        private final Admission admission;
        private final AsyncWait wait;

        private OfUni(Uni<? extends T> upstream, Admission admission, AsyncWait wait) {
            super(upstream);
            this.admission = admission;
            this.wait = wait;
        }

        @Override
        public void subscribe(UniSubscriber<? super T> subscriber) {
            AbstractUni.subscribe(upstream(), new UniOperatorProcessor<T, T>(subscriber) {

                @Override
                public void onItem(T item) {
                    CompletableFuture<Void> ended = admission.end().toCompletableFuture();
                    if (wait.hasEnded(ended)) {
                        super.onItem(item);
                    } else {
                        wait.later(ended).subscribe().with(done -> super.onItem(item));
                    }
                }

                @Override
                public void onFailure(Throwable failure) {
                    CompletableFuture<Void> ended = admission.end().toCompletableFuture();
                    if (wait.hasEnded(ended)) {
                        super.onFailure(failure);
                    } else {
                        wait.later(ended).subscribe().with(done -> super.onFailure(failure));
                    }
                }

                @Override
                public void cancel() {
                    boolean running = !isCancelled();
                    super.cancel();
                    if (running) {
                        admission.end();
                    }
                }
            });
        }
    }

    private static final class OfMulti<T> extends AbstractMultiOperator<T, T> {

        private final Runnable end;

        private OfMulti(Multi<? extends T> upstream, Runnable end) {
            super(upstream);
            this.end = end;
        }

        @Override
        public void subscribe(MultiSubscriber<? super T> subscriber) {
            upstream.subscribe().withSubscriber(new MultiOperatorProcessor<T, T>(subscriber) {

                @Override
                public void cancel() {
                    boolean running = !isDone() && !isCancelled();
                    super.cancel();
                    if (running) {
                        end.run();
                    }
                }
            });
        }
    }
}
