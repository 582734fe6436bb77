package io.quarkiverse.redisbulkhead.runtime.grpc;

import jakarta.annotation.Priority;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import com.google.protobuf.Any;
import com.google.protobuf.Duration;
import com.google.rpc.RetryInfo;
import com.google.rpc.Status;

import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import io.quarkiverse.redisbulkhead.runtime.rest.Rejections;
import io.quarkiverse.redisbulkhead.runtime.rest.Rejections.Rejection;
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
    private final Rejections rejections;

    /**
     * Creates the provider.
     *
     * @param others handles what is not a rejection
     * @param rejections what clients learn of them
     */
    @Inject
    public RejectionHandlerProvider(Instance<DefaultExceptionHandlerProvider> others, Rejections rejections) {
        this.others = others;
        this.rejections = rejections;
    }

    /** For what a service throws. */
    @Override
    public <Q, A> ExceptionHandler<Q, A> createHandler(ServerCall.Listener<Q> listener, ServerCall<Q, A> call,
            Metadata metadata) {
        // The handler of Quarkus around this one sends a StatusRuntimeException as it is.
        return others.get().createHandler(new ExceptionHandler<>(listener, call, metadata) {

            @Override
            protected void handleException(Throwable failure, ServerCall<Q, A> call, Metadata metadata) {
                RejectionHandlerProvider.<RuntimeException> rethrow(withStatus(failure));
            }
        }, call, metadata);
    }

    /** For what the {@code Uni} or {@code Multi} of a service fails with. */
    @Override
    public Throwable transform(Throwable failure) {
        return others.get().transform(withStatus(failure));
    }

    private Throwable withStatus(Throwable failure) {
        return rejections.of(failure).<Throwable> map(RejectionHandlerProvider::status).orElse(failure);
    }

    /** The status of a rejection, with a {@link RetryInfo} among its details. It contains nothing internal. */
    static StatusRuntimeException status(Rejection rejection) {
        Code code = switch (rejection.kind()) {
            case FULL -> Code.RESOURCE_EXHAUSTED;
            case UNAVAILABLE -> Code.UNAVAILABLE;
            case INVALID_KEY -> Code.INVALID_ARGUMENT;
        };
        Status.Builder status = Status.newBuilder().setCode(code.value()).setMessage(rejection.title());
        rejection.retryAfter().ifPresent(seconds -> status.addDetails(Any.pack(
                RetryInfo.newBuilder().setRetryDelay(Duration.newBuilder().setSeconds(seconds)).build())));
        return StatusProto.toStatusRuntimeException(status.build());
    }

    // Also a checked exception, which a service in Kotlin may throw.
    @SuppressWarnings("unchecked")
    private static <E extends Throwable> void rethrow(Throwable failure) throws E {
        throw (E) failure;
    }
}
