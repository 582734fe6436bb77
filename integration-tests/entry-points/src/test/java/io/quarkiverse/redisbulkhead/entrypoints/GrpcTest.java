package io.quarkiverse.redisbulkhead.entrypoints;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;

import jakarta.inject.Inject;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.rpc.RetryInfo;

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
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.testredis.CapturedLog;
import io.quarkus.grpc.GrpcService;
import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.common.annotation.Blocking;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.test.AssertSubscriber;
import io.smallrye.mutiny.helpers.test.UniAssertSubscriber;

/**
 * gRPC services, with the Mutiny base class and with the plain one. The status of a rejected call contains the reason and a
 * retry delay.
 */
@QuarkusTest
class GrpcTest extends EntryPointTestBase {

    private static final int REJECTIONS = 1_000;
    private static final HealthCheckRequest REQUEST = HealthCheckRequest.getDefaultInstance();
    private static final HealthCheckResponse SERVING = HealthCheckResponse.newBuilder().setStatus(ServingStatus.SERVING)
            .build();
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    @Inject
    RedisDataSource redis;

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
        try (CapturedLog errors = new CapturedLog("", Level.SEVERE)) {
            for (int i = 0; i < REJECTIONS; i++) {
                assertRejected(() -> mutiny.watch(REQUEST).collect().asList().await().atMost(TIMEOUT));
            }
            assertThat(errors.texts()).isEmpty();
        }
        openGate();

        running.awaitCompletion(TIMEOUT).assertItems(SERVING, SERVING);
    }

    @Test
    void cancellationByTheClientReleasesThePermit() {
        AssertSubscriber<HealthCheckResponse> running = mutiny.watch(REQUEST).subscribe()
                .withSubscriber(AssertSubscriber.create(10));
        running.awaitItems(1, TIMEOUT);

        running.cancel();

        assertNothingIsLeft();
    }

    @Test
    void observerCompletedBeforeTheMethodReturns() throws Exception {
        ListenableFuture<HealthCheckResponse> running = call(PlainImplBase.WITHIN);
        awaitInside(1);

        assertThat(holders("grpc within")).containsExactly("PlainService#within");
        assertRejected(() -> blockingCall(PlainImplBase.WITHIN));
        openGate();

        assertThat(running.get(20, TimeUnit.SECONDS)).isEqualTo(SERVING);
    }

    /** Without permission, Redis is unavailable immediately. Trap 25: the policy is {@code reject}. */
    @Test
    void outages() {
        redis.execute("ACL", "SETUSER", "default", "-evalsha", "-eval");
        try {
            assertRejected(() -> mutiny.check(REQUEST).await().atMost(TIMEOUT), Status.Code.UNAVAILABLE,
                    "The limit cannot be checked");
            assertRejected(() -> blockingCall(PlainImplBase.WITHIN), Status.Code.UNAVAILABLE, "The limit cannot be checked");
        } finally {
            redis.execute("ACL", "SETUSER", "default", "+evalsha", "+eval");
        }
        openGate();
        await().ignoreExceptions().atMost(TIMEOUT)
                .untilAsserted(() -> assertThat(mutiny.check(REQUEST).await().atMost(TIMEOUT)).isEqualTo(SERVING));
    }

    @Test
    void leavesOtherFailuresUnchanged() {
        gate.open();

        for (HealthCheckRequest request : List.of(request("argument"), request("status"), request("state"))) {
            Status.Code code = switch (request.getService()) {
                case "argument" -> Status.Code.INVALID_ARGUMENT;
                case "status" -> Status.Code.NOT_FOUND;
                default -> Status.Code.UNKNOWN;
            };
            assertThat(failure(() -> mutiny.check(request).await().atMost(TIMEOUT)).getStatus().getCode()).isEqualTo(code);
            assertThat(failure(() -> blockingCall(PlainImplBase.WITHIN, request)).getStatus().getCode()).isEqualTo(code);
        }
    }

    private static HealthCheckRequest request(String service) {
        return HealthCheckRequest.newBuilder().setService(service).build();
    }

    private static void failIfAsked(HealthCheckRequest request) {
        switch (request.getService()) {
            case "argument" -> throw new IllegalArgumentException("wrong");
            case "status" -> throw Status.NOT_FOUND.asRuntimeException();
            case "state" -> throw new IllegalStateException("wrong");
            default -> {
            }
        }
    }

    private static void assertRejected(Runnable call) {
        assertRejected(call, Status.Code.RESOURCE_EXHAUSTED, "Too many concurrent executions");
    }

    /** Trap 28: the delay is at least a second. The message contains nothing internal. */
    private static void assertRejected(Runnable call, Status.Code code, String message) {
        StatusRuntimeException failure = failure(call);
        assertThat(failure.getStatus().getCode()).isEqualTo(code);
        assertThat(failure.getStatus().getDescription()).isEqualTo(message);
        assertThat(StatusProto.fromThrowable(failure).getDetailsList()).singleElement().satisfies(
                detail -> assertThat(detail.unpack(RetryInfo.class).getRetryDelay().getSeconds()).isBetween(1L, 30L));
    }

    private static StatusRuntimeException failure(Runnable call) {
        return catchThrowableOfType(StatusRuntimeException.class, call::run);
    }

    private ListenableFuture<HealthCheckResponse> call(MethodDescriptor<HealthCheckRequest, HealthCheckResponse> method) {
        return ClientCalls.futureUnaryCall(channel.newCall(method, CallOptions.DEFAULT), REQUEST);
    }

    private void blockingCall(MethodDescriptor<HealthCheckRequest, HealthCheckResponse> method) {
        blockingCall(method, REQUEST);
    }

    private void blockingCall(MethodDescriptor<HealthCheckRequest, HealthCheckResponse> method, HealthCheckRequest request) {
        ClientCalls.blockingUnaryCall(channel, method, CallOptions.DEFAULT.withDeadlineAfter(20, TimeUnit.SECONDS), request);
    }

    @GrpcService
    public static class MutinyService extends MutinyHealthGrpc.HealthImplBase {

        @Inject
        Gate gate;

        @Override
        @RedisBulkhead(name = "grpc uni", permits = 1)
        public Uni<HealthCheckResponse> check(HealthCheckRequest request) {
            return gate.passLater().invoke(() -> failIfAsked(request)).replaceWith(SERVING);
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
            failIfAsked(request);
            answers.onNext(SERVING);
            answers.onCompleted();
        }
    }
}
