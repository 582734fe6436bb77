package io.quarkiverse.redisbulkhead.deployment.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.BulkheadUnavailableException;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.deployment.behaviour.KillableRedis;
import io.quarkus.redis.datasource.RedisDataSource;
import io.smallrye.mutiny.Uni;

/** Commands and messages over TLS, with each Redis store. */
abstract class TlsContract {

    private static final Duration LONG = Duration.ofSeconds(20);

    private final KillableRedis redis;
    private final Certificates certificates;
    private final boolean mutual;
    private final String rights;
    private final TlsFront front;

    @Inject
    Guarded guarded;

    @Inject
    RedisBulkheads bulkheads;

    @Inject
    RedisDataSource data;

    TlsContract(KillableRedis redis, KillableRedis front, Certificates certificates, boolean mutual, String rights) {
        this.redis = redis;
        this.certificates = certificates;
        this.mutual = mutual;
        this.rights = rights;
        this.front = new TlsFront(front.port(), redis.port());
    }

    @BeforeEach
    void start() {
        redis.start();
        redis.send("ACL SETUSER shop on >hunter2 ~* &* " + rights);
        front.start(certificates.server("server"), mutual);
        await().atMost(LONG).untilAsserted(() -> assertThat(call()).isNull());
    }

    @AfterEach
    void stop() {
        front.stop();
        redis.stop();
    }

    @Test
    void deliversHandOversAndRevocations() throws Exception {
        CompletableFuture<String> end = new CompletableFuture<>();
        CompletableFuture<String> first = guarded.render(end).subscribeAsCompletionStage();
        CompletableFuture<String> second = guarded.render(CompletableFuture.completedFuture("second"))
                .subscribeAsCompletionStage();
        await().atMost(LONG).until(() -> bulkheads.semaphore("reports").status().waiting() == 1);
        await().atMost(LONG).until(() -> data.execute("PUBSUB", "CHANNELS", "redis-bulkhead:instance:*").size() == 1);

        end.complete("first");
        assertThat(first.get(20, TimeUnit.SECONDS)).isEqualTo("first");
        assertThat(second.get(20, TimeUnit.SECONDS)).isEqualTo("second");
        assertThat(bulkheads.semaphore("reports").status().inUse()).isZero();
    }

    /** Calls do not hang, the error does not contain the password, and the first call after the fix succeeds. */
    @Test
    void untrustedServerIsAnOutage() {
        assertOutageWhile(() -> front.start(certificates.server("stranger"), mutual), "certification path");
    }

    @Test
    void serverWithoutTlsIsAnOutage() {
        assertOutageWhile(front::startWithoutTls, "Redis");
    }

    void assertOutageWhile(Runnable anotherServer, String why) {
        front.stop();
        anotherServer.run();

        // On a busy machine, the first calls may end before the handshake does.
        await().atMost(Duration.ofMinutes(1)).pollDelay(Duration.ZERO).untilAsserted(() -> assertThat(call())
                .isInstanceOf(BulkheadUnavailableException.class).hasMessageContaining(why)
                .hasStackTraceContaining("Redis").satisfies(failure -> {
                    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
                        assertThat(cause.toString()).doesNotContain("hunter2").doesNotContain(Certificates.PASSWORD);
                    }
                }));

        front.stop();
        front.start(certificates.server("server"), mutual);
        // A probe detects that Redis is back.
        await().atMost(LONG).until(() -> call() == null);
    }

    private Throwable call() {
        return catchThrowable(() -> guarded.render(CompletableFuture.completedFuture("done")).await().atMost(LONG));
    }

    TlsFront front() {
        return front;
    }

    @ApplicationScoped
    public static class Guarded {

        @RedisBulkhead(name = "reports", permits = 1, fair = true, maxWait = "15s")
        Uni<String> render(CompletableFuture<String> end) {
            return Uni.createFrom().completionStage(end);
        }
    }
}
