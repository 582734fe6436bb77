package io.quarkiverse.redisbulkhead.deployment.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkus.test.QuarkusUnitTest;
import io.quarkus.test.common.http.TestHTTPResource;
import io.smallrye.mutiny.Uni;

/** All worker threads make guarded calls at the same time; no call depends on another. */
class WorkersThatWaitTest {

    static final int WORKERS = 8;

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Endpoint.class, Guarded.class))
            .overrideRuntimeConfigKey("quarkus.thread-pool.max-threads", Integer.toString(WORKERS))
            // A busy machine may delay replies from Redis.
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.command-timeout", "10s");

    @TestHTTPResource("/wait")
    URI uri;

    @Test
    void everyCallGetsItsResponse() {
        HttpClient http = HttpClient.newHttpClient();
        HttpRequest request = HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(30)).build();
        List<CompletableFuture<HttpResponse<String>>> answers = IntStream.range(0, WORKERS)
                .mapToObj(i -> http.sendAsync(request, HttpResponse.BodyHandlers.ofString())).toList();

        assertThat(answers.stream().map(CompletableFuture::join).map(HttpResponse::body))
                .hasSize(WORKERS).allMatch(body -> body.equals("done") || body.equals("full")).contains("done");
    }

    @Path("/wait")
    public static class Endpoint {

        private static final CyclicBarrier ALL_BUSY = new CyclicBarrier(WORKERS);

        @Inject
        Guarded guarded;

        @GET
        public String call() throws Exception {
            ALL_BUSY.await(20, TimeUnit.SECONDS);
            try {
                return guarded.call().await().atMost(Duration.ofSeconds(20));
            } catch (BulkheadFullException e) {
                return "full";
            }
        }
    }

    @ApplicationScoped
    public static class Guarded {

        @RedisBulkhead(name = "waited-for", permits = 5)
        Uni<String> call() {
            return Uni.createFrom().item("done");
        }
    }
}
