package io.quarkiverse.redisbulkhead.entrypoints;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.quarkus.test.common.http.TestHTTPResource;

/** Makes more concurrent calls of a resource than it has permits. */
public abstract class RestTestBase extends EntryPointTestBase {

    private final HttpClient client = HttpClient.newHttpClient();

    @TestHTTPResource
    URI server;

    /** The resource permits two. */
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
        return client.sendAsync(HttpRequest.newBuilder(server.resolve("rest/" + path)).build(), BodyHandlers.ofString());
    }
}
