package io.quarkiverse.redisbulkhead.runtime.rest;

import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow.Subscription;

import org.jboss.resteasy.reactive.RestMulti;
import org.jboss.resteasy.reactive.common.model.ResourceClass;
import org.jboss.resteasy.reactive.server.core.ResteasyReactiveRequestContext;
import org.jboss.resteasy.reactive.server.model.HandlerChainCustomizer;
import org.jboss.resteasy.reactive.server.model.ServerResourceMethod;
import org.jboss.resteasy.reactive.server.spi.ServerRestHandler;

import io.quarkiverse.redisbulkhead.runtime.guard.StreamStart;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.helpers.Subscriptions.DeferredSubscription;
import io.smallrye.mutiny.operators.AbstractMulti;
import io.smallrye.mutiny.subscription.MultiSubscriber;

/**
 * Takes the permits of a stream before its response begins, so that a rejection is a response of its own: Quarkus REST sends
 * the headers of server-sent events before it subscribes. The build records it.
 */
public record StreamAdmission() implements HandlerChainCustomizer {

    private static final String MULTI = "Lio/smallrye/mutiny/Multi";

    @Override
    public List<ServerRestHandler> handlers(Phase phase, ResourceClass resource, ServerResourceMethod method) {
        return phase == Phase.AFTER_METHOD_INVOKE && method.getReturnType().startsWith(MULTI) ? List.of(StreamAdmission::begin)
                : List.of();
    }

    private static void begin(ResteasyReactiveRequestContext request) {
        // The headers of a RestMulti are its own.
        if (request.getResult() instanceof Multi<?> stream && !(stream instanceof RestMulti)) {
            request.suspend();
            new Begun(stream, request).begin();
        }
    }

    /** A stream with a subscription, which waits for the subscriber that sends the response. */
    private static final class Begun implements MultiSubscriber<Object> {

        private final Multi<?> stream;
        private final ResteasyReactiveRequestContext request;
        private final StreamStart start = new StreamStart(this::resume);
        private final DeferredSubscription upstream = new DeferredSubscription();
        // Receives the items that it has requested.
        private volatile MultiSubscriber<? super Object> receiver;

        // Guarded by this. Receives the end; null until it has its subscription.
        private MultiSubscriber<? super Object> downstream;
        private Throwable failure;
        private boolean completed;

        private Begun(Multi<?> stream, ResteasyReactiveRequestContext request) {
            this.stream = stream;
            this.request = request;
        }

        private void begin() {
            request.serverResponse().addCloseHandler(upstream::cancel);
            if (start.by(() -> stream.subscribe().withSubscriber(this))) {
                resume(null);
            }
        }

        // Null: on this thread. REST would use an executor without the caller's Vert.x context.
        private void resume(Executor executor) {
            Throwable rejection;
            synchronized (this) {
                rejection = start.isGuarded() ? failure : null;
            }
            if (rejection != null) {
                request.resume(rejection, true);
                return;
            }
            request.setResult(new AbstractMulti<>() {

                @Override
                public void subscribe(MultiSubscriber<? super Object> subscriber) {
                    sendTo(subscriber);
                }
            });
            if (executor == null) {
                request.resume();
            } else {
                request.resume(executor);
            }
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            upstream.set(subscription);
            if (request.serverResponse().closed()) {
                upstream.cancel();
            }
        }

        @Override
        public void onItem(Object item) {
            receiver.onItem(item);
        }

        @Override
        public void onFailure(Throwable thrown) {
            MultiSubscriber<? super Object> subscriber;
            synchronized (this) {
                failure = thrown;
                subscriber = downstream;
            }
            if (subscriber != null) {
                subscriber.onFailure(thrown);
            }
        }

        @Override
        public void onCompletion() {
            MultiSubscriber<? super Object> subscriber;
            synchronized (this) {
                completed = true;
                subscriber = downstream;
            }
            if (subscriber != null) {
                subscriber.onCompletion();
            }
        }

        private void sendTo(MultiSubscriber<? super Object> subscriber) {
            receiver = subscriber;
            subscriber.onSubscribe(upstream);
            Throwable failed;
            boolean ended;
            synchronized (this) {
                downstream = subscriber;
                failed = failure;
                ended = completed;
            }
            if (failed != null) {
                subscriber.onFailure(failed);
            } else if (ended) {
                subscriber.onCompletion();
            }
        }
    }
}
