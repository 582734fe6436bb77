package io.quarkiverse.redisbulkhead.deployment.behaviour;

import static io.restassured.RestAssured.when;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.is;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;
import jakarta.ws.rs.ext.Provider;

import org.eclipse.microprofile.faulttolerance.exceptions.BulkheadException;
import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.BulkheadKey;
import io.quarkiverse.redisbulkhead.CurrentPermit;
import io.quarkiverse.redisbulkhead.LockNotAcquiredException;
import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkus.arc.Arc;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.redis.client.Redis;

/**
 * With the local store, here in tests only, an application needs no Redis: the extension requests no client, and its bulkheads
 * still enforce limits. So it also shows what does not depend on the store.
 */
class LocalStoreTest {

    private static final Duration LONG = Duration.ofSeconds(20);
    private static final int WORKERS = 8;

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Reports.class, Shop.class, Mapped.class, OwnMapper.class, Guarded.class)
                    .addAsResource(new StringAsset("""
                            %test.quarkus.redis-bulkhead.store=local
                            %prod.quarkus.redis.hosts=redis://redis.example:6379
                            """), "application.properties"))
            .overrideConfigKey("quarkus.redis.devservices.enabled", "false")
            .overrideRuntimeConfigKey("quarkus.thread-pool.max-threads", Integer.toString(WORKERS))
            .overrideConfigKey("app.region", "built")
            .overrideRuntimeConfigKey("app.region", "eu")
            .overrideConfigKey("quarkus.redis-bulkhead.\"built-orders\".permits", "9")
            .overrideConfigKey("quarkus.redis-bulkhead.\"eu-orders\".permits", "2")
            .overrideConfigKey("quarkus.redis-bulkhead.\"us-orders\".permits", "7");

    @Inject
    Reports reports;

    @Inject
    RedisBulkheads bulkheads;

    @Inject
    Shop shop;

    @Inject
    Guarded guarded;

    @Inject
    ExecutorService workers;

    @Inject
    Vertx vertx;

    @Test
    void enforcesTheLimit() {
        assertThat(reports.render(() -> {
            assertThat(bulkheads.semaphore("reports").status().inUse()).isEqualTo(1);
            assertThatThrownBy(() -> reports.render(() -> "never")).isInstanceOfSatisfying(BulkheadFullException.class, e -> {
                assertThat(e.name()).isEqualTo("reports");
                assertThat(e.limit()).isEqualTo(1);
            });
            return "done";
        })).isEqualTo("done");
        assertThat(reports.render(() -> "again")).as("after the release").isEqualTo("again");
    }

    @Test
    void registersNoRedisClient() {
        assertThat(Arc.container().listAll(Redis.class)).isEmpty();
    }

    // ---- Annotation members may contain property expressions, which are resolved when the application starts: ExpressionsTest.

    @Test
    void resolvesNames() {
        assertThat(bulkheads.names()).containsExactlyInAnyOrder("eu-orders", "reports", "mapped", "mapped-of", "slow");
    }

    @Test
    void bothMethodsShareTheBulkheadAndItsConfiguration() {
        RedisSemaphore orders = bulkheads.semaphore("eu-orders");
        assertThat(orders.status().limit()).isEqualTo(2);
        try (Permit one = orders.acquire(Duration.ZERO); Permit other = orders.acquire(Duration.ZERO)) {
            assertThatThrownBy(shop::order).isInstanceOf(BulkheadFullException.class).hasMessageContaining("'eu-orders'");
            assertThatThrownBy(shop::buy).isInstanceOf(BulkheadFullException.class);
        }
        assertThat(shop.order()).isEqualTo("eu-orders");
        assertThat(shop.buy()).isEqualTo("eu-orders");
    }

    // ---- An application's mapper for the base exception of rejections wins over that of the extension.

    @Test
    void rejectionsGoToTheMapperOfTheApplication() {
        try (Permit taken = bulkheads.semaphore("mapped").tryAcquire().orElseThrow()) {
            when().get("/mapped").then().statusCode(418).body(is("BulkheadFullException"));
        }
        when().get("/mapped").then().statusCode(200);
    }

    /** It is no bulkhead exception. */
    @Test
    void otherRefusalsAreMappedAsBefore() {
        when().get("/mapped/of").then().statusCode(400).contentType("application/problem+json");
    }

    // ---- Trap 41: waiting calls of any kind block at most half of the worker pool, so other endpoints respond.

    private Permit held;

    private void acquirePermit() {
        held = bulkheads.semaphore("slow").forKey("a").acquire(LONG);
    }

    @AfterEach
    void releasePermit() {
        if (held != null) {
            held.release();
            await().atMost(LONG).until(() -> bulkheads.semaphore("slow").forKey("a").status().inUse() == 0
                    && bulkheads.lock("daily").owner().isEmpty());
        }
    }

    /** Locks and permits in code block threads like guarded methods. */
    @Test
    void boundCoversAllKindsOfBlockingCalls() throws Exception {
        acquirePermit();
        Permit lock = bulkheads.lock("daily").tryLock().orElseThrow();
        Stream.<Runnable> of(() -> guarded.slow("a"), () -> bulkheads.semaphore("slow").forKey("a").acquire(LONG).release(),
                () -> bulkheads.lock("daily").run(LONG, () -> {
                }), () -> bulkheads.lock("daily").lock().release()).forEach(workers::execute);
        await().atMost(LONG).until(() -> waiting() + bulkheads.lock("daily").waiters().size() == WORKERS / 2);

        assertThatThrownBy(() -> onWorker(() -> guarded.slow("a"))).hasRootCauseInstanceOf(BulkheadFullException.class)
                .hasStackTraceContaining("quarkus.redis-bulkhead.max-blocked-threads");
        assertThatThrownBy(() -> onWorker(() -> bulkheads.lock("daily").lock()))
                .hasRootCauseInstanceOf(LockNotAcquiredException.class)
                .hasStackTraceContaining("quarkus.redis-bulkhead.max-blocked-threads");
        assertThat(onWorker(() -> bulkheads.lock("daily").tryLock(LONG))).isEqualTo(Optional.empty());
        assertThat(onWorker(() -> guarded.slow("b"))).isEqualTo("done");
        lock.release();
    }

    @Test
    void boundIgnoresOtherThreadsAndUnis() throws Exception {
        acquirePermit();
        ExecutorService own = Executors.newFixedThreadPool(WORKERS);
        // Referenced, because Vert.x ends the threads of one that is garbage.
        WorkerExecutor ofVertx = vertx.createSharedWorkerExecutor("own", WORKERS);
        try {
            for (int i = 0; i < WORKERS; i++) {
                own.execute(() -> guarded.slow("a"));
                workers.execute(() -> guarded.slowUni("a").subscribe().with(done -> {
                }));
                vertx.runOnContext(now -> guarded.slowUni("a").subscribe().with(done -> {
                }));
                ofVertx.executeBlocking(() -> guarded.slow("a"), false);
            }
            await().atMost(LONG).until(() -> waiting() == 4 * WORKERS);
            CompletableFuture<String> onWorker = CompletableFuture.supplyAsync(() -> guarded.slow("a"), workers);
            await().atMost(LONG).until(() -> waiting() == 4 * WORKERS + 1);

            held.release();
            assertThat(onWorker.get(20, TimeUnit.SECONDS)).isEqualTo("done");
        } finally {
            own.shutdown();
            assertThat(own.awaitTermination(20, TimeUnit.SECONDS)).isTrue();
            ofVertx.close();
        }
    }

    private <T> T onWorker(Callable<T> call) throws Exception {
        return workers.submit(call).get(20, TimeUnit.SECONDS);
    }

    private long waiting() {
        return bulkheads.semaphore("slow").forKey("a").status().waiting();
    }

    @ApplicationScoped
    public static class Reports {
        @RedisBulkhead(name = "reports", permits = 1)
        String render(Supplier<String> body) {
            return body.get();
        }
    }

    @ApplicationScoped
    public static class Shop {
        @Inject
        CurrentPermit permit;

        @RedisBulkhead(name = "${app.region}-orders")
        String order() {
            return permit.get().bulkhead();
        }

        @RedisBulkhead(name = "${app.unset.region:eu}-orders")
        String buy() {
            return permit.get().bulkhead();
        }
    }

    @Path("mapped")
    public static class Mapped {
        @GET
        @RedisBulkhead(name = "mapped", permits = 1)
        public String report() {
            return "report";
        }

        @GET
        @Path("of")
        @RedisBulkhead(name = "mapped-of", permits = 1)
        public String of(@BulkheadKey @QueryParam("tenant") String tenant) {
            return tenant;
        }
    }

    @Provider
    public static class OwnMapper implements ExceptionMapper<BulkheadException> {
        @Override
        public Response toResponse(BulkheadException rejection) {
            return Response.status(418).entity(rejection.getClass().getSimpleName()).build();
        }
    }

    @ApplicationScoped
    public static class Guarded {
        @RedisBulkhead(name = "slow", permits = 1, maxWait = "20s")
        String slow(@BulkheadKey String key) {
            return "done";
        }

        @RedisBulkhead(name = "slow", permits = 1, maxWait = "20s")
        Uni<String> slowUni(@BulkheadKey String key) {
            return Uni.createFrom().item("done");
        }
    }
}
