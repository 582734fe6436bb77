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
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.BulkheadUnavailableException;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.deployment.behaviour.KillableRedis;
import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Uni;

/** TLS with a password and with certificates on both sides; with {@code store=lock}, for a user that may run no scripts. */
class MutualTlsTest {

    private static final Duration LONG = Duration.ofSeconds(20);

    static final KillableRedis REDIS = new KillableRedis("mutual-tls-test");
    // Only its port, which is the same for JUnit and the application.
    static final KillableRedis FRONT = new KillableRedis("mutual-tls-test-front");
    static final Certificates CERTIFICATES = new Certificates("mutual-tls-test");

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Guarded.class, TlsFront.class, Certificates.class,
                    KillableRedis.class))
            .overrideConfigKey("quarkus.redis-bulkhead.store", "lock")
            .overrideRuntimeConfigKey("quarkus.redis.hosts", "rediss://localhost:" + FRONT.port() + "?user=shop")
            .overrideRuntimeConfigKey("quarkus.redis.password", "hunter2")
            // The first connections of a process take long.
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.command-timeout", "3s")
            .overrideRuntimeConfigKey("quarkus.redis.tls-configuration-name", "redis")
            .overrideRuntimeConfigKey("quarkus.tls.redis.hostname-verification-algorithm", "HTTPS")
            .overrideRuntimeConfigKey("quarkus.tls.redis.trust-store.pem.certs", CERTIFICATES.certificate("server"))
            .overrideRuntimeConfigKey("quarkus.tls.redis.key-store.p12.path", CERTIFICATES.keys("client"))
            .overrideRuntimeConfigKey("quarkus.tls.redis.key-store.p12.password", Certificates.PASSWORD);

    @Inject
    Guarded guarded;

    @Inject
    RedisBulkheads bulkheads;

    @Inject
    RedisDataSource data;

    private final TlsFront front = new TlsFront(FRONT.port(), REDIS.port());

    @BeforeEach
    void start() {
        REDIS.start();
        REDIS.send("ACL SETUSER shop on >hunter2 ~* &* +@all -eval -evalsha -script");
        front.start(CERTIFICATES.server("server", "client"));
        await().atMost(LONG).untilAsserted(() -> assertThat(call()).isNull());
    }

    @AfterEach
    void stop() {
        front.stop();
        REDIS.stop();
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
        assertOutageWhile(() -> front.start(CERTIFICATES.server("stranger", "client")), "certification path");
    }

    @Test
    void untrustedClientIsAnOutage() {
        assertOutageWhile(() -> front.start(CERTIFICATES.server("server", "stranger")), "Redis");
    }

    @Test
    void serverWithoutTlsIsAnOutage() {
        assertOutageWhile(front::startWithoutTls, "Redis");
    }

    private void assertOutageWhile(Runnable anotherServer, String why) {
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
        front.start(CERTIFICATES.server("server", "client"));
        // A probe detects that Redis is back.
        await().atMost(LONG).until(() -> call() == null);
    }

    private Throwable call() {
        return catchThrowable(() -> guarded.render(CompletableFuture.completedFuture("done")).await().atMost(LONG));
    }

    @ApplicationScoped
    public static class Guarded {

        @RedisBulkhead(name = "reports", permits = 1, fair = true, maxWait = "15s")
        Uni<String> render(CompletableFuture<String> end) {
            return Uni.createFrom().completionStage(end);
        }
    }
}
