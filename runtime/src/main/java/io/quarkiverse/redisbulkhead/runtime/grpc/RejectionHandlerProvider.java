package io.quarkiverse.redisbulkhead.runtime.grpc;

import jakarta.annotation.Priority;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.quarkiverse.redisbulkhead.runtime.rest.RetryAfter;
import io.quarkus.arc.DefaultBean;
import io.quarkus.grpc.ExceptionHandler;
import io.quarkus.grpc.ExceptionHandlerProvider;
import io.quarkus.grpc.runtime.supports.exc.DefaultExceptionHandlerProvider;

/**
 * Gives rejections their gRPC status, and leaves all other failures to the provider of Quarkus. An application's own provider
 * replaces this one, because it is a default bean; the priority is for the choice between it and that of Quarkus.
 */
@Singleton
@DefaultBean
@Priority(1)
public class RejectionHandlerProvider implements ExceptionHandlerProvider {

    // An application with clients only does not have it.
    private final Instance<DefaultExceptionHandlerProvider> others;
    private final RetryAfter retryAfter;

    /**
     * Creates the provider.
     *
     * @param others handles what is not a rejection
     * @param retryAfter says when to come back
     */
    @Inject
    public RejectionHandlerProvider(Instance<DefaultExceptionHandlerProvider> others, RetryAfter retryAfter) {
        this.others = others;
        this.retryAfter = retryAfter;
    }

    /** For what a service throws. */
    @Override
    public <Q, A> ExceptionHandler<Q, A> createHandler(ServerCall.Listener<Q> listener, ServerCall<Q, A> call,
            Metadata metadata) {
        // The handler of Quarkus sends a StatusRuntimeException as it is.
        return others.get().createHandler(new Translating<>(listener, retryAfter), call, metadata);
    }

    /** For what the {@code Uni} or {@code Multi} of a service fails with. */
    @Override
    public Throwable transform(Throwable failure) {
        return RejectionStatus.of(failure, retryAfter).<Throwable> map(status -> status)
                .orElseGet(() -> others.get().transform(failure));
    }

    private static final class Translating<Q> extends SimpleForwardingServerCallListener<Q> {

        private final RetryAfter retryAfter;

        private Translating(ServerCall.Listener<Q> listener, RetryAfter retryAfter) {
            super(listener);
            this.retryAfter = retryAfter;
        }

        @Override
        public void onMessage(Q message) {
            translating(() -> super.onMessage(message));
        }

        @Override
        public void onHalfClose() {
            translating(super::onHalfClose);
        }

        @Override
        public void onReady() {
            translating(super::onReady);
        }

        private void translating(Runnable call) {
            try {
                call.run();
            } catch (RuntimeException e) {
                throw RejectionStatus.of(e, retryAfter).<RuntimeException> map(status -> status).orElse(e);
            }
        }
    }
}
