package io.quarkiverse.redisbulkhead.entrypoints;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

import io.quarkus.test.common.QuarkusTestResourceLifecycleManager;

/**
 * A model with the HTTP interface of OpenAI. It streams two tokens, "first" and "last", each with a line end; it sends the
 * last one when the test opens it.
 */
public class ModelServer implements QuarkusTestResourceLifecycleManager {

    private static final Pattern CONTENT = Pattern.compile("\"content\"\\s*:\\s*\"([^\"]*)\"");
    private static final Pattern STREAM = Pattern.compile("\"stream\"\\s*:\\s*true");

    private final List<String> prompts = new CopyOnWriteArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private volatile CompletableFuture<Void> end = CompletableFuture.completedFuture(null);
    private HttpServer server;

    void shut() {
        prompts.clear();
        end = new CompletableFuture<>();
    }

    void open() {
        end.complete(null);
    }

    /** The requests since it was shut. */
    List<String> prompts() {
        return prompts;
    }

    @Override
    public Map<String, String> start() {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.createContext("/chat/completions", this::complete);
        server.setExecutor(threads);
        server.start();
        return Map.of("quarkus.langchain4j.openai.base-url", "http://localhost:" + server.getAddress().getPort());
    }

    private void complete(HttpExchange exchange) throws IOException {
        try (exchange) {
            String request = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            boolean streamed = STREAM.matcher(request).find();
            exchange.getResponseHeaders().add("Content-Type", streamed ? "text/event-stream" : "application/json");
            exchange.sendResponseHeaders(200, 0);
            OutputStream response = exchange.getResponseBody();
            if (streamed) {
                write(response, event("\"delta\":{\"content\":\"first\\n\"}"));
            }
            prompts.add(prompt(request));
            awaitEnd();
            write(response, streamed
                    ? event("\"delta\":{\"content\":\"last\\n\"}") + event("\"delta\":{},\"finish_reason\":\"stop\"")
                            + "data: [DONE]\n\n"
                    : completion("\"message\":{\"role\":\"assistant\",\"content\":\"first last\"},\"finish_reason\":\"stop\""));
        }
    }

    private static String prompt(String request) {
        String last = "";
        for (Matcher contents = CONTENT.matcher(request); contents.find();) {
            last = contents.group(1);
        }
        return last;
    }

    private void awaitEnd() {
        try {
            end.get(60, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new IllegalStateException("the model was not opened in time", e);
        }
    }

    private static String event(String choice) {
        return "data: " + completion(choice) + "\n\n";
    }

    private static String completion(String choice) {
        return "{\"id\":\"1\",\"created\":1,\"model\":\"test\",\"choices\":[{\"index\":0," + choice + "}]}";
    }

    private static void write(OutputStream response, String text) throws IOException {
        response.write(text.getBytes(StandardCharsets.UTF_8));
        response.flush();
    }

    @Override
    public void inject(TestInjector injector) {
        injector.injectIntoFields(this, new TestInjector.MatchesType(ModelServer.class));
    }

    @Override
    public void stop() {
        open();
        if (server != null) {
            server.stop(0);
        }
        threads.shutdownNow();
    }
}
