package io.quarkiverse.redisbulkhead.sample.support;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

import io.quarkus.test.common.QuarkusTestResourceLifecycleManager;

/**
 * The systems that the sample calls: database, partner and website. It runs outside the applications under test, so what its
 * gates count is what really happened.
 */
public final class OutsideServer implements QuarkusTestResourceLifecycleManager, AutoCloseable {

    public final Gate reports = new Gate();
    public final Gate statistics = new Gate();
    public final Gate quotes = new Gate();
    public final Gate pages = new Gate();
    public final Gate exports = new Gate();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpServer server;
    private final List<String> exported = new CopyOnWriteArrayList<>();

    public OutsideServer() {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1024);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.setExecutor(threads);
        serve("/database/report", reports, "application/json", "{\"title\":\"Sales\",\"rows\":7}");
        serve("/database/export", exports, "application/json", "{\"table\":\"a table\",\"rows\":7}",
                query -> exported.add(query.replace("table=", "")));
        serve("/database/statistics", statistics, "text/plain", "done");
        serve("/partner/quote", quotes, "application/json", "{\"article\":\"teapot\",\"price\":9.99}");
        serve("/site/", pages, "text/plain", "a page");
        server.start();
    }

    private void serve(String path, Gate gate, String type, String body) {
        serve(path, gate, type, body, query -> {
        });
    }

    private void serve(String path, Gate gate, String type, String body, Consumer<String> arrivals) {
        server.createContext(path, exchange -> {
            try (exchange) {
                arrivals.accept(exchange.getRequestURI().getQuery());
                gate.pass();
                answer(exchange, type, body.getBytes(StandardCharsets.UTF_8));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    private static void answer(HttpExchange exchange, String type, byte[] body) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.sendResponseHeaders(200, body.length);
        exchange.getResponseBody().write(body);
    }

    public String databaseUrl() {
        return url() + "/database";
    }

    public String partnerUrl() {
        return url() + "/partner";
    }

    private String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /** Configures the application under test, whose test class has a field for this server. */
    @Override
    public Map<String, String> start() {
        return Map.of("sample.database.url", databaseUrl(),
                "sample.partner.url", partnerUrl(),
                "sample.crawler.sites.\"example.org\"", url() + "/site",
                "sample.crawler.sites.\"example.net\"", url() + "/site",
                // Tests let callers wait, and busy machines are slow.
                "quarkus.redis-bulkhead.\"exports\".max-wait", "1m",
                "quarkus.redis-bulkhead.lock.shape.acquire-timeout", "200ms",
                "quarkus.redis-bulkhead.command-timeout", "3s",
                "quarkus.rest-client.read-timeout", "60000");
    }

    @Override
    public void inject(TestInjector injector) {
        injector.injectIntoFields(this, new TestInjector.MatchesType(OutsideServer.class));
    }

    @Override
    public void stop() {
        close();
    }

    /** All gates, each of one kind of request. */
    public List<Gate> gates() {
        return List.of(reports, statistics, quotes, pages, exports);
    }

    /** The exported tables, in the order of the requests. */
    public List<String> exported() {
        return List.copyOf(exported);
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
