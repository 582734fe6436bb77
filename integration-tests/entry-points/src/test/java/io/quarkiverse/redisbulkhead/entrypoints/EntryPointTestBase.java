package io.quarkiverse.redisbulkhead.entrypoints;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import jakarta.inject.Inject;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkus.test.common.http.TestHTTPResource;

/** Common parts of the tests: a gate that blocks guarded executions, and a check that no permit is left when it opens. */
public abstract class EntryPointTestBase {

    @Inject
    Gate gate;

    @Inject
    RedisBulkheads bulkheads;

    @TestHTTPResource
    URI server;

    @BeforeEach
    void shut() {
        gate.shut();
    }

    @AfterEach
    void assertNothingIsLeft() {
        gate.open();
        // Keyed bulkheads have no holders without a key.
        await().pollDelay(Duration.ZERO).atMost(20, TimeUnit.SECONDS).untilAsserted(() -> assertThat(bulkheads.names())
                .filteredOn(name -> !name.startsWith("keyed") && !name.endsWith("-of-tenant"))
                .allSatisfy(name -> assertThat(holders(name)).as(name).isEmpty()));
    }

    protected void awaitInside(int executions) {
        await().atMost(20, TimeUnit.SECONDS).until(() -> gate.inside() == executions);
    }

    void awaitNoHolder(String bulkhead) {
        await().atMost(20, TimeUnit.SECONDS).untilAsserted(() -> assertThat(holders(bulkhead)).as(bulkhead).isEmpty());
    }

    void awaitWaiter(String bulkhead) {
        await().atMost(20, TimeUnit.SECONDS).until(() -> !bulkheads.semaphore(bulkhead).waiters().isEmpty());
    }

    protected void openGate() {
        gate.open();
    }

    protected List<String> holders(String bulkhead) {
        return bulkheads.semaphore(bulkhead).holders().stream().map(Holder::method).toList();
    }

    /** Makes more concurrent calls of a resource than its two permits. */
    protected void isLimited(String path, String method, String expected) throws Exception {
        List<CompletableFuture<HttpResponse<String>>> calls = Stream.generate(() -> call(path)).limit(5).toList();
        await().atMost(20, TimeUnit.SECONDS).until(() -> calls.stream().filter(CompletableFuture::isDone).count() == 3);
        awaitInside(2);

        assertThat(holders(path)).containsExactly(method, method);
        openGate();

        for (CompletableFuture<HttpResponse<String>> call : calls) {
            HttpResponse<String> response = call.get(20, TimeUnit.SECONDS);
            if (response.statusCode() == 200) {
                assertThat(response.body()).isEqualTo(expected);
            } else {
                assertThat(response.statusCode()).isEqualTo(429);
                assertThat(response.headers().firstValue("Retry-After")).isPresent();
            }
        }
        assertThat(calls.stream().filter(call -> call.join().statusCode() == 200)).hasSize(2);
        assertThat(holders(path)).as("when the callers have their responses").isEmpty();
    }

    private CompletableFuture<HttpResponse<String>> call(String path) {
        return HttpClient.newHttpClient().sendAsync(HttpRequest.newBuilder(server.resolve("rest/" + path)).build(),
                BodyHandlers.ofString());
    }
}
