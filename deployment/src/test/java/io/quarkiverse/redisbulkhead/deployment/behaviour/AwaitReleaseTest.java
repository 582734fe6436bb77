package io.quarkiverse.redisbulkhead.deployment.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.testredis.Caller;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.vertx.core.json.JsonArray;

/** A call does not wait for the reply to its release, whatever the return type. With {@code await-release}, it does. */
class AwaitReleaseTest {

    static final KillableRedis REDIS = new KillableRedis("AwaitReleaseTest");
    static final Duration LONG = Duration.ofSeconds(20);

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Reports.class, KillableRedis.class))
            .setBeforeAllCustomizer(REDIS::start).setAfterAllCustomizer(REDIS::stop)
            .overrideConfigKey("quarkus.redis.hosts", REDIS.address())
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.command-timeout", "10s")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.\"awaiting\".await-release", "true");

    @Inject
    Reports reports;

    @Inject
    RedisBulkheads bulkheads;

    /** The next call of the process is sent after the release, so it is not rejected. */
    @AfterEach
    void assertPermitIsFree() {
        REDIS.send("CLIENT UNPAUSE");
        assertThat(reports.plain()).isEqualTo("plain");
        await().atMost(LONG).until(() -> semaphore().status().inUse() == 0);
    }

    private RedisSemaphore semaphore() {
        return bulkheads.semaphore("reports");
    }

    private static void assertReturnsBeforeTheRelease(Callable<?> call) throws Exception {
        assertThat(Caller.of(call).result()).isNotNull();
        assertThat(permitsInRedis("reports")).isEqualTo(1);
    }

    // Uses no script, because Redis would postpone it. The header of share.lua documents the text of a share.
    private static int permitsInRedis(String bulkhead) {
        List<String> reply = REDIS.text("HGETALL redis-bulkhead:{" + bulkhead + "}:shares");
        int permits = 0;
        for (int i = 0; i < reply.size(); i++) {
            if (reply.get(i).startsWith("i:")) {
                // The length of the text is between.
                JsonArray share = new JsonArray(reply.get(i + 2));
                permits += share.getInteger(2) - share.getInteger(4) - share.getInteger(5);
            }
        }
        return permits;
    }

    @ParameterizedTest
    @ValueSource(strings = { "blocking", "uni", "multi", "stage", "in code", "in code, asynchronously" })
    void callReturnsBeforeTheReplyToItsRelease(String kind) throws Exception {
        assertReturnsBeforeTheRelease(() -> switch (kind) {
            case "blocking" -> reports.blocking();
            case "uni" -> reports.uni().await().atMost(LONG);
            case "multi" -> reports.multi().collect().asList().await().atMost(LONG);
            case "stage" -> reports.stage().toCompletableFuture().get(20, TimeUnit.SECONDS);
            case "in code" -> semaphore().call(Reports::pause);
            default -> semaphore().callAsync(() -> Uni.createFrom().item(Reports::pause)).await().atMost(LONG);
        });
    }

    @Test
    void closeDoesNotWaitButReleaseDoes() throws Exception {
        assertReturnsBeforeTheRelease(() -> {
            try (Permit permit = semaphore().acquire(Duration.ZERO)) {
                return Reports.pause();
            }
        });
        REDIS.send("CLIENT UNPAUSE");
        Permit permit = semaphore().acquire(Duration.ZERO);
        Reports.pause();
        Caller<Boolean> release = Caller.of(permit::release);
        await().atMost(LONG).until(() -> !permit.isHeld());
        assertThat(release.isDone()).isFalse();
        REDIS.send("CLIENT UNPAUSE");
        assertThat(release.result()).isTrue();
    }

    @Test
    void awaitReleaseCallsReturnAfterTheRelease() throws Exception {
        assertReturnsAfterTheRelease("awaiting", () -> reports.awaiting());
        assertReturnsAfterTheRelease("awaiting", () -> reports.awaitingUni().await().atMost(LONG));
        assertReturnsAfterTheRelease("awaiting", () -> reports.awaitingStage().toCompletableFuture().get(20, TimeUnit.SECONDS));
        SemaphoreSpec spec = SemaphoreSpec.named("awaiting-in-code").permits(1).awaitRelease(true).build();
        assertReturnsAfterTheRelease(spec.name(), () -> bulkheads.semaphore(spec).call(Reports::pause));
        assertReturnsAfterTheRelease(spec.name(), () -> {
            try (Permit permit = bulkheads.semaphore(spec).acquire(Duration.ZERO)) {
                return Reports.pause();
            }
        });
    }

    private static void assertReturnsAfterTheRelease(String bulkhead, Callable<?> call) throws Exception {
        Reports.paused = new CompletableFuture<>();
        Caller<?> caller = Caller.of(call);
        Reports.paused.get(20, TimeUnit.SECONDS);
        assertThat(permitsInRedis(bulkhead)).isEqualTo(1);
        assertThat(caller.isDone()).isFalse();
        REDIS.send("CLIENT UNPAUSE");
        assertThat(caller.result()).isNotNull();
        assertThat(permitsInRedis(bulkhead)).isZero();
    }

    @ApplicationScoped
    public static class Reports {
        static volatile CompletableFuture<Void> paused = new CompletableFuture<>();

        /** From now on Redis postpones writes and scripts. */
        static String pause() {
            REDIS.send("CLIENT PAUSE 60000 WRITE");
            paused.complete(null);
            return "done";
        }

        @RedisBulkhead(name = "reports", permits = 1)
        String plain() {
            return "plain";
        }

        @RedisBulkhead(name = "reports", permits = 1)
        String blocking() {
            return pause();
        }

        @RedisBulkhead(name = "reports", permits = 1)
        Uni<String> uni() {
            return Uni.createFrom().item(Reports::pause);
        }

        @RedisBulkhead(name = "reports", permits = 1)
        Multi<String> multi() {
            return Uni.createFrom().item(Reports::pause).toMulti();
        }

        @RedisBulkhead(name = "reports", permits = 1)
        CompletionStage<String> stage() {
            return CompletableFuture.supplyAsync(Reports::pause);
        }

        @RedisBulkhead(name = "awaiting", permits = 1)
        String awaiting() {
            return pause();
        }

        @RedisBulkhead(name = "awaiting", permits = 1)
        Uni<String> awaitingUni() {
            return Uni.createFrom().item(Reports::pause);
        }

        @RedisBulkhead(name = "awaiting", permits = 1)
        CompletionStage<String> awaitingStage() {
            return CompletableFuture.supplyAsync(Reports::pause);
        }
    }
}
