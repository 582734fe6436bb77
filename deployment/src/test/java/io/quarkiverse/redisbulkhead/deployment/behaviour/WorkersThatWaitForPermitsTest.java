package io.quarkiverse.redisbulkhead.deployment.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;

import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkus.test.QuarkusUnitTest;
import io.quarkus.test.common.http.TestHTTPResource;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;

/** All worker threads make guarded calls, and all but one wait for a permit; no deadlock. */
class WorkersThatWaitForPermitsTest {

    static final int WORKERS = 8;

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Endpoint.class, Guarded.class))
            .overrideRuntimeConfigKey("quarkus.thread-pool.max-threads", Integer.toString(WORKERS))
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.max-blocked-threads", Integer.toString(WORKERS))
            // A busy machine may delay replies from Redis.
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.command-timeout", "10s");

    @TestHTTPResource("/wait")
    URI uri;

    @Inject
    RedisBulkheads bulkheads;

    @ParameterizedTest
    @ValueSource(strings = { "synchronous", "uni", "stage", "multi", "mixed", "programmatic" })
    void everyWorkerAcquiresItsPermit(String kind) {
        HttpClient http = HttpClient.newHttpClient();
        HttpRequest request = HttpRequest.newBuilder(URI.create(uri + "/" + kind)).timeout(Duration.ofSeconds(30)).build();
        List<CompletableFuture<HttpResponse<String>>> answers = IntStream.range(0, WORKERS)
                .mapToObj(i -> http.sendAsync(request, HttpResponse.BodyHandlers.ofString())).toList();

        assertThat(answers.stream().map(CompletableFuture::join).map(HttpResponse::body))
                .hasSize(WORKERS).allMatch(body -> body.equals("done"));
        assertThat(bulkheads.semaphore("waited-for").status().inUse()).isZero();
    }

    @Path("/wait")
    public static class Endpoint {

        private static final CyclicBarrier ALL_BUSY = new CyclicBarrier(WORKERS);

        @Inject
        Guarded guarded;

        @Inject
        RedisBulkheads bulkheads;

        @GET
        @Path("/{kind}")
        public String call(@PathParam("kind") String kind) throws Exception {
            int number = ALL_BUSY.await(20, TimeUnit.SECONDS);
            return switch (kind.equals("mixed") ? List.of("synchronous", "uni", "stage", "multi").get(number % 4) : kind) {
                case "synchronous" -> guarded.synchronous();
                case "uni" -> guarded.uni().await().atMost(Duration.ofSeconds(20));
                case "stage" -> guarded.stage().toCompletableFuture().get(20, TimeUnit.SECONDS);
                case "multi" -> guarded.multi().collect().first().await().atMost(Duration.ofSeconds(20));
                default -> bulkheads.semaphore("waited-for").acquireAsync(Duration.ofSeconds(20))
                        .chain(permit -> permit.releaseAsync()).map(released -> released ? "done" : "lost").await()
                        .atMost(Duration.ofSeconds(20));
            };
        }
    }

    @ApplicationScoped
    public static class Guarded {

        @RedisBulkhead(name = "waited-for", permits = 1, maxWait = "20s")
        String synchronous() {
            return "done";
        }

        @RedisBulkhead(name = "waited-for", permits = 1, maxWait = "20s")
        Uni<String> uni() {
            return Uni.createFrom().item("done");
        }

        @RedisBulkhead(name = "waited-for", permits = 1, maxWait = "20s")
        CompletionStage<String> stage() {
            return CompletableFuture.completedStage("done");
        }

        @RedisBulkhead(name = "waited-for", permits = 1, maxWait = "20s")
        Multi<String> multi() {
            return Multi.createFrom().item("done");
        }
    }
}
