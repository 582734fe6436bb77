package io.quarkiverse.redisbulkhead.runtime.rest;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow.Subscription;
import java.util.function.Consumer;

import jakarta.inject.Singleton;
import jakarta.ws.rs.core.Response;

import org.jboss.resteasy.reactive.RestMulti;
import org.jboss.resteasy.reactive.RestResponse;
import org.jboss.resteasy.reactive.common.model.ResourceClass;
import org.jboss.resteasy.reactive.server.core.ResteasyReactiveRequestContext;
import org.jboss.resteasy.reactive.server.model.HandlerChainCustomizer;
import org.jboss.resteasy.reactive.server.model.ServerResourceMethod;
import org.jboss.resteasy.reactive.server.spi.ServerRestHandler;

import io.quarkiverse.redisbulkhead.runtime.GuardedMethods.ResultContent;
import io.quarkiverse.redisbulkhead.runtime.guard.AsyncGuard.StreamStart;
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
            new Begun(request).begin(stream);
        }
    }

    /** A stream with a subscription, which waits for the subscriber that sends the response. */
    private static final class Begun implements MultiSubscriber<Object> {

        private final ResteasyReactiveRequestContext request;
        private final StreamStart start = new StreamStart(this::decided);
        private final DeferredSubscription upstream = new DeferredSubscription();
        // What comes before the subscriber: the end, and items of a stream that does not wait for requests.
        private final Queue<Consumer<MultiSubscriber<? super Object>>> early = new ArrayDeque<>();
        // Null before it has received those.
        private MultiSubscriber<? super Object> receiver;
        // Whether the response begins with the next signal. These three are guarded by this.
        private boolean waits;
        private volatile Throwable failure;

        private Begun(ResteasyReactiveRequestContext request) {
            this.request = request;
        }

        private void begin(Multi<?> stream) {
            // The client leaves, also while the stream waits for its permit.
            request.serverResponse().addCloseHandler(this::leave);
            // The response ends, also without having subscribed, for example because no media type is known.
            request.registerCompletionCallback(ended -> leave());
            start.by(() -> stream.subscribe().withSubscriber(this));
        }

        // An operator that cancels a guarded stream goes on with a failure, as after a timeout, or with another stream.
        private void decided(Executor executor) {
            if (waitsForSignal()) {
                upstream.request(1);
            } else {
                resume(executor);
            }
        }

        private synchronized boolean waitsForSignal() {
            waits = start.isCancelled() && early.isEmpty();
            return waits;
        }

        private void leave() {
            upstream.cancel();
            // No other signal comes.
            pass(subscriber -> {
            });
        }

        // REST itself would use an executor without the caller's Vert.x context.
        private void resume(Executor executor) {
            Throwable rejection = start.here() != null ? failure : null;
            if (rejection != null) {
                request.resume(rejection, true);
                return;
            }
            request.setResult(new AbstractMulti<>() {

                @Override
                public void subscribe(MultiSubscriber<? super Object> subscriber) {
                    subscriber.onSubscribe(upstream);
                    receive(subscriber);
                }
            });
            request.resume(executor);
        }

        private synchronized void receive(MultiSubscriber<? super Object> subscriber) {
            // Each may request the next one, which then comes here as well.
            while (!early.isEmpty()) {
                early.remove().accept(subscriber);
            }
            receiver = subscriber;
        }

        private void pass(Consumer<MultiSubscriber<? super Object>> signal) {
            boolean begins;
            MultiSubscriber<? super Object> subscriber;
            synchronized (this) {
                begins = waits;
                waits = false;
                subscriber = receiver;
                if (subscriber == null) {
                    early.add(signal);
                }
            }
            if (subscriber != null) {
                signal.accept(subscriber);
            } else if (begins) {
                resume(start.here());
            }
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            upstream.set(subscription);
            if (request.serverResponse().closed()) {
                leave();
            }
        }

        @Override
        public void onItem(Object item) {
            pass(subscriber -> subscriber.onItem(item));
        }

        @Override
        public void onFailure(Throwable thrown) {
            failure = thrown;
            pass(subscriber -> subscriber.onFailure(thrown));
        }

        @Override
        public void onCompletion() {
            pass(MultiSubscriber::onCompletion);
        }
    }

    /** The entity of a response that this application sends. */
    @Singleton
    public static class ResponseContent implements ResultContent {

        private static final String CLIENT = ".client.";

        @Override
        public Object apply(Object result) {
            try {
                if (result instanceof RestResponse<?> response) {
                    return response.getEntity();
                }
                // The entity of a response that was received may be a stream over what is there already.
                return result instanceof Response response && !result.getClass().getName().contains(CLIENT)
                        ? response.getEntity()
                        : result;
            } catch (IllegalStateException e) {
                // It is closed.
                return null;
            }
        }
    }
}
