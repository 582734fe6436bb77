package io.quarkiverse.redisbulkhead.entrypoints;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

import jakarta.inject.Inject;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import com.google.common.util.concurrent.ListenableFuture;

import grpc.health.v1.HealthOuterClass.HealthCheckRequest;
import grpc.health.v1.HealthOuterClass.HealthCheckResponse;
import grpc.health.v1.HealthOuterClass.HealthCheckResponse.ServingStatus;
import grpc.health.v1.MutinyHealthGrpc;
import grpc.health.v1.MutinyHealthGrpc.MutinyHealthStub;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkus.grpc.GrpcService;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.common.annotation.Blocking;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.test.AssertSubscriber;
import io.smallrye.mutiny.helpers.test.UniAssertSubscriber;

/** gRPC services, with the base class for Mutiny and with the plain one. A rejected call ends with the status UNKNOWN. */
@QuarkusTest
class GrpcTest extends EntryPointTestBase {

    private static final HealthCheckRequest REQUEST = HealthCheckRequest.getDefaultInstance();
    private static final HealthCheckResponse SERVING = HealthCheckResponse.newBuilder().setStatus(ServingStatus.SERVING)
            .build();
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    @TestHTTPResource
    URI server;

    private ManagedChannel channel;
    private MutinyHealthStub mutiny;

    @BeforeEach
    void connect() {
        channel = ManagedChannelBuilder.forAddress(server.getHost(), server.getPort()).usePlaintext().build();
        mutiny = MutinyHealthGrpc.newMutinyStub(channel);
    }

    @AfterEach
    void disconnect() {
        channel.shutdownNow();
    }

    @Test
    void uniMethods() {
        UniAssertSubscriber<HealthCheckResponse> running = mutiny.check(REQUEST).subscribe()
                .withSubscriber(UniAssertSubscriber.create());
        awaitInside(1);

        assertThat(holders("grpc uni")).containsExactly("MutinyService#check");
        assertRejected(() -> mutiny.check(REQUEST).await().atMost(TIMEOUT));
        openGate();

        running.awaitItem(TIMEOUT).assertItem(SERVING);
        assertThat(holders("grpc uni")).isEmpty();
    }

    /** The permit is held until the stream ends. */
    @Test
    void streams() {
        AssertSubscriber<HealthCheckResponse> running = mutiny.watch(REQUEST).subscribe()
                .withSubscriber(AssertSubscriber.create(10));
        running.awaitItems(1, TIMEOUT);

        assertThat(holders("grpc multi")).containsExactly("MutinyService#watch");
        assertRejected(() -> mutiny.watch(REQUEST).collect().asList().await().atMost(TIMEOUT));
        openGate();

        running.awaitCompletion(TIMEOUT).assertItems(SERVING, SERVING);
    }

    @Test
    void aClientThatCancelsGivesThePermitBack() {
        AssertSubscriber<HealthCheckResponse> running = mutiny.watch(REQUEST).subscribe()
                .withSubscriber(AssertSubscriber.create(10));
        running.awaitItems(1, TIMEOUT);

        running.cancel();

        nothingIsLeftBehind();
    }

    @Test
    void methodsThatAnswerAnObserverBeforeTheyReturn() throws Exception {
        ListenableFuture<HealthCheckResponse> running = call(PlainImplBase.WITHIN);
        awaitInside(1);

        assertThat(holders("grpc within")).containsExactly("PlainService#within");
        assertRejected(() -> blockingCall(PlainImplBase.WITHIN));
        openGate();

        assertThat(running.get(20, TimeUnit.SECONDS)).isEqualTo(SERVING);
    }

    /** The end of a method without a result is its return, so the permit does not cover an answer that is given later. */
    @Test
    void methodsThatAnswerAnObserverAfterwards() throws Exception {
        ListenableFuture<HealthCheckResponse> first = call(PlainImplBase.AFTERWARDS);
        awaitInside(1);
        awaitNoHolder("grpc afterwards");
        ListenableFuture<HealthCheckResponse> second = call(PlainImplBase.AFTERWARDS);
        awaitInside(2);
        openGate();

        assertThat(first.get(20, TimeUnit.SECONDS)).isEqualTo(SERVING);
        assertThat(second.get(20, TimeUnit.SECONDS)).isEqualTo(SERVING);
    }

    private void assertRejected(Runnable call) {
        assertThatThrownBy(call::run).isInstanceOfSatisfying(StatusRuntimeException.class, e -> {
            assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.UNKNOWN);
            assertThat(e.getStatus().getDescription()).contains("BulkheadFullException");
        });
    }

    private ListenableFuture<HealthCheckResponse> call(MethodDescriptor<HealthCheckRequest, HealthCheckResponse> method) {
        return ClientCalls.futureUnaryCall(channel.newCall(method, CallOptions.DEFAULT), REQUEST);
    }

    private void blockingCall(MethodDescriptor<HealthCheckRequest, HealthCheckResponse> method) {
        ClientCalls.blockingUnaryCall(channel, method, CallOptions.DEFAULT.withDeadlineAfter(20, TimeUnit.SECONDS), REQUEST);
    }

    @GrpcService
    public static class MutinyService extends MutinyHealthGrpc.HealthImplBase {

        @Inject
        Gate gate;

        @Override
        @RedisBulkhead(name = "grpc uni", permits = 1)
        public Uni<HealthCheckResponse> check(HealthCheckRequest request) {
            return gate.passLater().replaceWith(SERVING);
        }

        @Override
        @RedisBulkhead(name = "grpc multi", permits = 1)
        public Multi<HealthCheckResponse> watch(HealthCheckRequest request) {
            return Multi.createBy().concatenating().streams(Multi.createFrom().item(SERVING),
                    gate.passLater().replaceWith(SERVING).toMulti());
        }
    }

    @GrpcService
    public static class PlainService extends PlainImplBase {

        @Inject
        Gate gate;

        @Override
        @Blocking
        @RedisBulkhead(name = "grpc within", permits = 1)
        public void within(HealthCheckRequest request, StreamObserver<HealthCheckResponse> answers) {
            gate.pass();
            answers.onNext(SERVING);
            answers.onCompleted();
        }

        @Override
        @Blocking
        @RedisBulkhead(name = "grpc afterwards", permits = 1)
        public void afterwards(HealthCheckRequest request, StreamObserver<HealthCheckResponse> answers) {
            gate.passLater().subscribe().with(end -> {
                answers.onNext(SERVING);
                answers.onCompleted();
            });
        }
    }
}
