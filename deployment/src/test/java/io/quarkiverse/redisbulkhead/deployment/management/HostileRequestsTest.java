package io.quarkiverse.redisbulkhead.deployment.management;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.logging.Level;
import java.util.logging.LogRecord;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.redisbulkhead.BulkheadKey;
import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.deployment.ExtendedApplication;
import io.quarkiverse.redisbulkhead.deployment.OptionalExtensions;
import io.quarkus.test.QuarkusUnitTest;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Shrinkable;
import net.jqwik.api.sessions.JqwikSession;

/**
 * Whatever a client sends to the endpoint or uses as a key, each response is JSON without a trace of an exception, and a
 * request changes only its target.
 */
class HostileRequestsTest {

    private static final int REQUESTS = 400;
    private static final String ALL = "/q/redis-bulkhead";

    @RegisterExtension
    static final QuarkusUnitTest APP = ExtendedApplication.with()
            .withApplicationRoot(jar -> jar.addClasses(Guarded.class, ExtendedApplication.class, OptionalExtensions.class))
            .overrideConfigKey("quarkus.redis-bulkhead.management.enabled", "true")
            .overrideConfigKey("quarkus.redis-bulkhead.management.changes-enabled", "true")
            // A busy machine may delay replies from Redis.
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.command-timeout", "10s")
            // Any logger: an exception that escapes a route is logged by its caller. On a busy machine, Vert.x also warns of
            // slow threads.
            .setLogRecordPredicate(
                    record -> isFromManagement(record)
                            || record.getThrown() != null && record.getLevel().intValue() >= Level.WARNING.intValue()
                                    && !record.getLoggerName().endsWith("BlockedThreadChecker"))
            .assertLogRecords(records -> {
                assertThat(records).filteredOn(record -> record.getThrown() != null)
                        .extracting(record -> record.getLoggerName() + ": " + record.getMessage() + " " + record.getThrown())
                        .isEmpty();
                assertThat(records).filteredOn(record -> isFromManagement(record))
                        .extracting(record -> String.format(record.getMessage(), record.getParameters()))
                        .allMatch(text -> text.startsWith("anonymous ("))
                        .contains(
                                "anonymous (127.0.0.1) reset the limit of bulkhead 'witness' through the management endpoint");
            });

    @Inject
    RedisBulkheads bulkheads;

    @ConfigProperty(name = "quarkus.http.test-port")
    int port;

    private Permit witness;

    @BeforeEach
    void take() {
        witness = bulkheads.semaphore("witness").tryAcquire().orElseThrow();
    }

    @AfterEach
    void releaseAll() {
        witness.close();
    }

    @Test
    void everyResponseIsWellFormed() throws IOException {
        for (Request request : some(REQUESTS)) {
            Answer answer = send(request);
            assertThat(answer.status).as(request.toString()).isBetween(200, 499);
            assertThat(answer.body).as(request.toString()).doesNotContain("Exception").doesNotContain("\tat ");
            if (answer.body.startsWith("{")) {
                new JsonObject(answer.body);
            }
        }
        assertThat(witness.refresh()).isTrue();
        assertThat(bulkheads.semaphore("witness").status()).satisfies(status -> {
            assertThat(status.inUse()).isEqualTo(1);
            assertThat(status.resized()).isFalse();
        });
    }

    /** Also a lone surrogate, which JSON cannot contain. Any other key: {@code HostileToolCallsPropertyTest}. */
    @ParameterizedTest
    @ValueSource(strings = { "<b>\"\\\0\r\n\uD83D\uDE80\u2028", "half \uD83D" })
    void returnsKeysThatAreNoPlainText(String key) throws IOException {
        try (Permit permit = bulkheads.semaphore("pages").forKey(key).tryAcquire().orElseThrow()) {
            // Another key may be there with an idle permit.
            assertThat(shown("pages").stream().map(JsonObject.class::cast).filter(limit -> limit.getInteger("inUse") == 1))
                    .singleElement().extracting(limit -> limit.getString("key"))
                    .matches(shown -> shown.equals(key) || !StandardCharsets.UTF_8.newEncoder().canEncode(key));
            assertThat(permit.isHeld()).isTrue();
        }
        assertThat(bulkheads.semaphore("pages").forKey(key).status().inUse()).isZero();
    }

    private static boolean isFromManagement(LogRecord record) {
        return record.getLoggerName().endsWith(".ManagementEndpoint")
                && record.getLevel().intValue() == Level.INFO.intValue();
    }

    // Responses reuse a read for a second, unless this application changes something.
    private JsonArray shown(String name) throws IOException {
        send(new Request("DELETE", ALL + "/witness/limit", "", ""));
        Answer answer = send(new Request("GET", ALL + "/" + name, "", ""));
        assertThat(answer.status).as(answer.body).isEqualTo(200);
        return new JsonObject(answer.body).getJsonArray("limits");
    }

    private record Request(String method, String target, String type, String body) {
    }

    private record Answer(int status, String body) {
    }

    // As bytes, because clients reject most of it.
    private Answer send(Request request) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(20_000);
            byte[] body = request.body.getBytes(StandardCharsets.UTF_8);
            String head = request.method + " " + request.target + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                    + (request.type.isEmpty() ? "" : "Content-Type: " + request.type + "\r\n")
                    + "Content-Length: " + body.length + "\r\n\r\n";
            socket.getOutputStream().write(head.getBytes(StandardCharsets.ISO_8859_1));
            socket.getOutputStream().write(body);
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(answer).as(request.toString()).startsWith("HTTP/1.1 ");
            return new Answer(Integer.parseInt(answer.substring(9, 12)),
                    answer.substring(answer.indexOf("\r\n\r\n") + 4));
        }
    }

    private static Arbitrary<Request> requests() {
        Arbitrary<String> segment = Arbitraries
                .oneOf(Arbitraries.of("reports", "pages", "limit", "permits", "..", ".", "", "%2F",
                        "%2e%2e", "%00", "%", "%zz", "%C0%AF", "%ED%A0%80", "lock:x", ";a=b", "{name}", "*", ":name",
                        "%7Bname%7D", "a+b",
                        "%25", "%0D%0AX:%20y", "\u00e4"), texts().map(HostileRequestsTest::encoded));
        Arbitrary<String> path = segment.list().ofMaxSize(4).map(all -> all.isEmpty() ? "" : "/" + String.join("/", all));
        Arbitrary<String> query = Arbitraries.oneOf(
                Arbitraries.of("", "?", "?key", "?key=", "?key=%", "?key=%FF", "?most=", "?most=1e9",
                        "?most=2147483648", "?key=a&key=b", "?%6bey=a", "?&&=", "?=", "?key=%ED%A0%80"),
                texts().map(text -> "?key=" + encoded(text)));
        Arbitrary<String> body = Arbitraries.oneOf(Arbitraries.of("", "null", "[]", "{}", "{\"permits\":3}", "{\"permits\":-1}",
                "{\"permits\":1e400}", "{\"permits\":NaN}", "{\"permits\":99999999999999999999}", "{\"permits\":{}}",
                "{\"permits\":3,\"permits\":4}", "{\"permits\":3}{", "{\"permits\":true}", "\"\"", "[".repeat(900),
                "{\"a\":".repeat(150), "x".repeat(3_000)), texts(), texts().map(text -> "{\"" + text + "\":1}"));
        Arbitrary<Request> anything = Combinators
                .combine(Arbitraries.of("GET", "PUT", "DELETE", "POST", "HEAD", "OPTIONS", "PATCH"), path, query,
                        Arbitraries.of("", "application/json", "application/json;charset=utf-16", "text/plain", "a/b/c", ";"),
                        body)
                .as((method, rest, parameters, type, text) -> new Request(method, ALL + rest + parameters, type, text));
        // Most of the others are rejected before their content is read.
        Arbitrary<Request> limits = Combinators.combine(Arbitraries.of("/reports/limit", "/pages/limit?key=a"), body)
                .as((rest, text) -> new Request("PUT", ALL + rest, "application/json", text));
        Arbitrary<Request> changes = Combinators
                .combine(Arbitraries.of("/pages/limit", "/reports/permits/x", "/pages/permits/"), query)
                .as((rest, parameters) -> new Request("DELETE", ALL + rest + parameters, "", ""));
        return Arbitraries.oneOf(anything, limits, changes);
    }

    private static Arbitrary<String> texts() {
        Arbitrary<String> words = Arbitraries
                .of("", "a", "%", "{", "}", "<b>", "\"", "\\", "\0", "\r\n", " ", "\uD83D", "\uDE80", "ü",
                        "%:", "%#", "\u2028", "'", "&", "/", "x".repeat(121))
                .list().ofMaxSize(5).map(all -> String.join("", all));
        return Arbitraries.oneOf(words, Arbitraries.strings().all().ofMaxLength(12));
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    // A fixed seed, so that failures are reproducible.
    private static List<Request> some(int number) {
        List<Request> some = new ArrayList<>();
        JqwikSession.run(() -> requests().generator(number).stream(new Random(7)).limit(number).map(Shrinkable::value)
                .forEach(some::add));
        return some;
    }

    @ApplicationScoped
    public static class Guarded {
        @RedisBulkhead(name = "reports", permits = 5)
        void report() {
        }

        @RedisBulkhead(name = "witness", permits = 5)
        void witness() {
        }

        @RedisBulkhead(name = "pages", permits = 3)
        void page(@BulkheadKey String key) {
        }
    }
}
