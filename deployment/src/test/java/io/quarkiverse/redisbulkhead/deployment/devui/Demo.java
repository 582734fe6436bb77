package io.quarkiverse.redisbulkhead.deployment.devui;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.CompletableFuture;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import io.quarkiverse.redisbulkhead.testredis.RedisProcess;

/** Calls {@link DemoApplication}. */
final class Demo {

    static final int PORT = RedisProcess.freePort();
    static final String ROOT = "http://localhost:" + PORT;

    private final HttpClient http = HttpClient.newHttpClient();

    /** Starts a call that runs until {@link #end}. */
    CompletableFuture<String> begin(String path) {
        return http.sendAsync(HttpRequest.newBuilder(URI.create(ROOT + "/demo/" + path)).build(), BodyHandlers.ofString())
                .thenApply(answer -> answer.body());
    }

    void take(String name, String key, int limit, int number) {
        post("take?name=" + name + (key == null ? "" : "&key=" + URLEncoder.encode(key, UTF_8)) + "&limit=" + limit
                + "&number=" + number);
    }

    /** An instance of another application begins an execution, with a limit of its own. */
    void beginElsewhere(String name, int limit) {
        post("elsewhere?name=" + name + "&limit=" + limit);
    }

    void end() {
        post("end");
    }

    String post(String path) {
        return send(HttpRequest.newBuilder(URI.create(ROOT + "/demo/" + path)).POST(BodyPublishers.noBody()).build());
    }

    String get(String path) {
        return send(HttpRequest.newBuilder(URI.create(ROOT + "/demo/" + path)).build());
    }

    /** Calls the MCP server of the Dev UI. */
    JsonNode mcp(String method, String params) {
        String request = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" + method + "\",\"params\":" + params + "}";
        try {
            return new ObjectMapper().readTree(send(HttpRequest.newBuilder(URI.create(ROOT + "/q/dev-mcp"))
                    .header("Content-Type", "application/json").header("Accept", "application/json, text/event-stream")
                    .POST(BodyPublishers.ofString(request)).build()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String send(HttpRequest request) {
        try {
            var answer = http.send(request, BodyHandlers.ofString());
            if (answer.statusCode() >= 300) {
                throw new IllegalStateException(request.uri() + " answers " + answer.statusCode() + " " + answer.body());
            }
            return answer.body();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
