package io.quarkiverse.redisbulkhead.runtime.guard;

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
 * Ends an admission when its execution is cancelled: first cancels the execution, then ends the admission, so that no other
 * call gets the permit while the execution still runs. Mutiny's {@code onCancellation()} has the opposite order.
 * <p>
 * It does not wait for the end of the admission, so that a permit that is granted later does not start the method any more.
 */
final class CancelThenEnd {

    private CancelThenEnd() {
    }

    static <T> Uni<T> uni(Uni<T> execution, Runnable end) {
        return execution.plug(upstream -> new OfUni<>(upstream, end));
    }

    static <T> Multi<T> multi(Multi<T> stream, Runnable end) {
        return stream.plug(upstream -> new OfMulti<>(upstream, end));
    }

    private static final class OfUni<T> extends UniOperator<T, T> {

        private final Runnable end;

        private OfUni(Uni<? extends T> upstream, Runnable end) {
            super(upstream);
            this.end = end;
        }

        @Override
        public void subscribe(UniSubscriber<? super T> subscriber) {
            AbstractUni.subscribe(upstream(), new UniOperatorProcessor<T, T>(subscriber) {

                @Override
                public void cancel() {
                    boolean running = !isCancelled();
                    super.cancel();
                    if (running) {
                        end.run();
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
