package io.quarkiverse.redisbulkhead.entrypoints;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.time.Duration;
import java.util.Map;

import jakarta.inject.Singleton;

import org.junit.jupiter.api.Test;

import grpc.health.v1.HealthOuterClass.HealthCheckRequest;
import grpc.health.v1.HealthOuterClass.HealthCheckResponse;
import grpc.health.v1.MutinyHealthGrpc;
import grpc.health.v1.MutinyHealthGrpc.MutinyHealthStub;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkus.arc.properties.IfBuildProperty;
import io.quarkus.grpc.ExceptionHandler;
import io.quarkus.grpc.ExceptionHandlerProvider;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.QuarkusTestProfile;
import io.quarkus.test.junit.TestProfile;
import io.smallrye.mutiny.helpers.test.UniAssertSubscriber;

/** An application with its own {@code ExceptionHandlerProvider} maps rejections itself. */
@QuarkusTest
@TestProfile(GrpcOwnProviderTest.WithOwnProvider.class)
class GrpcOwnProviderTest extends EntryPointTestBase {

    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    @Test
    void passesTheRejectionToTheProviderOfTheApplication() {
        ManagedChannel channel = ManagedChannelBuilder.forAddress(server.getHost(), server.getPort()).usePlaintext().build();
        try {
            MutinyHealthStub service = MutinyHealthGrpc.newMutinyStub(channel);
            UniAssertSubscriber<HealthCheckResponse> running = service.check(HealthCheckRequest.getDefaultInstance())
                    .subscribe().withSubscriber(UniAssertSubscriber.create());
            awaitInside(1);

            StatusRuntimeException failure = catchThrowableOfType(StatusRuntimeException.class,
                    () -> service.check(HealthCheckRequest.getDefaultInstance()).await().atMost(TIMEOUT));

            assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.ABORTED);
            assertThat(failure.getStatus().getDescription()).isEqualTo("full: grpc uni");
            openGate();
            running.awaitItem(TIMEOUT);
        } finally {
            channel.shutdownNow();
        }
    }

    public static class WithOwnProvider implements QuarkusTestProfile {

        @Override
        public Map<String, String> getConfigOverrides() {
            return Map.of("test.own-provider", "true");
        }
    }

    @Singleton
    @IfBuildProperty(name = "test.own-provider", stringValue = "true")
    public static class OwnProvider implements ExceptionHandlerProvider {

        @Override
        public <Q, A> ExceptionHandler<Q, A> createHandler(ServerCall.Listener<Q> listener, ServerCall<Q, A> call,
                Metadata metadata) {
            return new ExceptionHandler<>(listener, call, metadata) {

                @Override
                protected void handleException(Throwable failure, ServerCall<Q, A> failed, Metadata headers) {
                    failed.close(Status.fromThrowable(transform(failure)), new Metadata());
                }
            };
        }

        @Override
        public Throwable transform(Throwable failure) {
            return failure instanceof BulkheadFullException full
                    ? Status.ABORTED.withDescription("full: " + full.name()).asRuntimeException()
                    : failure;
        }
    }
}
