package io.quarkiverse.redisbulkhead.sample.support;

import static io.restassured.RestAssured.given;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.restassured.response.Response;

/** Requests to the application under test that run in the background. */
public final class ParallelCalls implements AutoCloseable {

    private final ExecutorService threads = Executors.newCachedThreadPool();

    /** Sends concurrent requests. */
    public List<CompletableFuture<Response>> get(int calls, String path) {
        return Stream.generate(() -> get(path)).limit(calls).toList();
    }

    public CompletableFuture<Response> get(String path) {
        return begin(() -> given().get(path));
    }

    /** Starts a request on its own thread. The common pool may have fewer threads than requests. */
    public CompletableFuture<Response> begin(Supplier<Response> request) {
        return CompletableFuture.supplyAsync(request, threads);
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
