package io.quarkiverse.redisbulkhead.behaviour;

import static io.restassured.RestAssured.when;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.is;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.MediaType;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.redisbulkhead.BulkheadCall;
import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.BulkheadKeyResolver;
import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.ResolvedKey;
import io.quarkiverse.redisbulkhead.testredis.CapturedLog;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.common.annotation.Blocking;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.BackPressureStrategy;

/** A guarded {@code Multi} that is a response: a rejection is decided before the response begins. */
@QuarkusTest
class StreamsInRestTest extends BehaviourTestBase {

    private static final int REJECTIONS = 1_000;
    private static final int AT_ONCE = 50;

    @TestHTTPResource("/streams/")
    URI streams;

    private final HttpClient client = HttpClient.newHttpClient();
    private final CapturedLog errors = new CapturedLog("", Level.SEVERE);

    @AfterEach
    void assertNoErrors() {
        errors.close();
        assertThat(errors.texts()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = { "events", "events-blocking", "events-of-bean", "json", "lines" })
    void fullBulkheadIsARejection(String path) throws Exception {
        try (Permit taken = take("streams")) {
            when().get("/streams/" + path).then().statusCode(503).contentType("application/problem+json")
                    .body("title", is("Too many concurrent executions"));
        }
        assertIsComplete(path);
    }

    private void assertIsComplete(String path) throws Exception {
        HttpResponse<String> response = get(path).get();
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body()).contains("one", "two");
    }

    @Test
    void thousandRejectionsLogNothing() throws Exception {
        try (Permit taken = take("streams")) {
            for (int sent = 0; sent < REJECTIONS; sent += AT_ONCE) {
                List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
                for (int i = 0; i < AT_ONCE; i++) {
                    answers.add(get(i % 2 == 0 ? "events" : i % 4 == 1 ? "json" : "lines"));
                }
                for (CompletableFuture<HttpResponse<String>> answer : answers) {
                    assertThat(answer.get().statusCode()).isEqualTo(503);
                }
            }
        }
    }

    @Test
    void waitingStreamBeginsWithItsPermit() throws Exception {
        Permit taken = take("patient-streams");
        CompletableFuture<HttpResponse<String>> waiting = get("patient-events");
        awaitWaiters("patient-streams", 1);
        assertThat(waiting).isNotDone();
        taken.release();
        assertThat(waiting.get().body()).contains("one", "two");
    }

    @Test
    void responseBeginsBeforeTheFirstItem() throws Exception {
        try (Socket socket = connected("quiet-events")) {
            assertThat(new BufferedReader(new InputStreamReader(socket.getInputStream())).readLine()).contains("200");
            assertThat(holders("streams")).hasSize(1);
        }
    }

    @Test
    void clientThatLeavesWhileItWaitsLeavesNothing() throws Exception {
        try (Permit taken = take("patient-streams")) {
            try (Socket socket = connected("patient-events")) {
                awaitWaiters("patient-streams", 1);
            }
            awaitWaiters("patient-streams", 0);
        }
    }

    @Test
    void streamThatRecoversIsAResponse() throws Exception {
        try (Permit taken = take("streams")) {
            HttpResponse<String> response = get("recovered-events").get();
            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(response.body()).contains("busy");
        }
    }

    @Test
    void failureOfTheMethodOrOfItsKeyResolverIsAResponse() throws Exception {
        assertThat(get("failing-events").get().statusCode()).isEqualTo(418);
        assertThat(get("events-without-key").get().statusCode()).isEqualTo(418);
    }

    /** Errors, and what code in Kotlin throws: a response in each case. */
    @ParameterizedTest
    @ValueSource(strings = { "error", "checked" })
    void anythingThatAKeyResolverThrowsIsAResponse(String thrown) throws Exception {
        errors.close();
        assertThat(get("thrown-" + thrown).get().statusCode()).isEqualTo(500);
    }

    /** A stream that is cancelled while it waits for a permit decides nothing any more. */
    @ParameterizedTest
    @ValueSource(strings = { "merged-events", "late-json", "late-events", "replaced-events", "quiet-replaced-events" })
    void streamThatStopsWaitingIsAResponse(String path) throws Exception {
        try (Permit one = take("streams"); Permit other = take("patient-streams")) {
            HttpResponse<String> response = get(path).get();
            if (path.endsWith("replaced-events")) {
                assertThat(response.body()).contains("one", "two");
            } else {
                assertThat(response.statusCode()).isEqualTo(503);
            }
            awaitWaiters("patient-streams", 0);
        }
    }

    /** Its media type is not known. The connection of HTTP/1.1 stays open. */
    @Test
    void responseThatFailsBeforeTheStreamLeavesNothing() {
        errors.close();
        when().get("/streams/unknown-type").then().statusCode(500);
        awaitNothingLeft("streams");
    }

    @ParameterizedTest
    @ValueSource(strings = { "free-events", "hot-events", "hot-guarded-events" })
    void streamsWithoutABulkheadWorkAsBefore(String path) throws Exception {
        assertIsComplete(path);
    }

    private CompletableFuture<HttpResponse<String>> get(String path) {
        return client.sendAsync(HttpRequest.newBuilder(streams.resolve(path)).build(), BodyHandlers.ofString())
                .orTimeout(LONG.toSeconds(), TimeUnit.SECONDS);
    }

    private Socket connected(String path) throws IOException {
        Socket socket = new Socket(streams.getHost(), streams.getPort());
        socket.getOutputStream().write(("GET /streams/" + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n")
                .getBytes(StandardCharsets.UTF_8));
        return socket;
    }

    @Path("streams")
    @Produces(MediaType.SERVER_SENT_EVENTS)
    public static class Streams {

        @Inject
        Source source;

        // Not a guarded method, of which each would take a permit.
        private static Multi<String> items() {
            return Multi.createFrom().items("one", "two");
        }

        @GET
        @Path("events")
        @RedisBulkhead(name = "streams", permits = 1)
        public Multi<String> events() {
            return items();
        }

        @GET
        @Path("events-blocking")
        @Blocking
        @RedisBulkhead(name = "streams")
        public Multi<String> eventsBlocking() {
            return items();
        }

        @GET
        @Path("events-of-bean")
        public Multi<String> eventsOfBean() {
            return source.events().map(String::toLowerCase).filter(event -> !event.isEmpty());
        }

        @GET
        @Path("json")
        @Produces(MediaType.APPLICATION_JSON)
        @RedisBulkhead(name = "streams")
        public Multi<String> json() {
            return items();
        }

        @GET
        @Path("lines")
        @Produces("application/x-ndjson")
        @RedisBulkhead(name = "streams")
        public Multi<String> lines() {
            return items();
        }

        @GET
        @Path("quiet-events")
        @RedisBulkhead(name = "streams")
        public Multi<String> quiet() {
            return Multi.createFrom().nothing();
        }

        @GET
        @Path("patient-events")
        @RedisBulkhead(name = "patient-streams", permits = 1, maxWait = "30s")
        public Multi<String> patient() {
            return items();
        }

        @GET
        @Path("recovered-events")
        public Multi<String> recovered() {
            return source.events().onFailure(BulkheadFullException.class).recoverWithItem("busy");
        }

        @GET
        @Path("failing-events")
        public Multi<String> failing() {
            return source.failing();
        }

        @GET
        @Path("events-without-key")
        @RedisBulkhead(name = "keyed-streams", permits = 1, keyResolver = NoKey.class)
        public Multi<String> withoutKey() {
            return items();
        }

        @GET
        @Path("unknown-type")
        @Produces({ MediaType.TEXT_PLAIN, MediaType.APPLICATION_JSON })
        @RedisBulkhead(name = "streams")
        public Multi<String> unknownType() {
            return items();
        }

        @GET
        @Path("thrown-error")
        @RedisBulkhead(name = "thrown-error", permits = 1, keyResolver = ThrownError.class)
        public Multi<String> thrownError() {
            return items();
        }

        @GET
        @Path("thrown-checked")
        @RedisBulkhead(name = "thrown-checked", permits = 1, keyResolver = ThrownChecked.class)
        public Multi<String> thrownChecked() {
            return items();
        }

        @GET
        @Path("merged-events")
        public Multi<String> merged() {
            return Multi.createBy().merging().streams(source.patient(), source.events());
        }

        @GET
        @Path("late-json")
        @Produces(MediaType.APPLICATION_JSON)
        public Multi<String> late() {
            return source.patient().ifNoItem().after(Duration.ofMillis(100))
                    .failWith(() -> new WebApplicationException(503));
        }

        @GET
        @Path("late-events")
        public Multi<String> lateEvents() {
            return late();
        }

        @GET
        @Path("quiet-replaced-events")
        public Multi<String> quietReplaced() {
            return source.patient().ifNoItem().after(Duration.ofMillis(100)).recoverWithMulti(
                    Multi.createBy().concatenating().streams(
                            Uni.createFrom().item("one").onItem().delayIt().by(Duration.ofMillis(100)).toMulti(), items()));
        }

        @GET
        @Path("replaced-events")
        public Multi<String> replaced() {
            return source.patient().ifNoItem().after(Duration.ofMillis(100)).recoverWithMulti(items());
        }

        private static Multi<String> hotItems() {
            return Multi.createFrom().emitter(emitter -> emitter.emit("one").emit("two").complete(),
                    BackPressureStrategy.IGNORE);
        }

        @GET
        @Path("hot-events")
        public Multi<String> hot() {
            return hotItems();
        }

        @GET
        @Path("hot-guarded-events")
        @RedisBulkhead(name = "streams")
        public Multi<String> hotGuarded() {
            return hotItems();
        }

        @GET
        @Path("free-events")
        public Multi<String> free() {
            return items();
        }
    }

    @ApplicationScoped
    static class NoKey implements BulkheadKeyResolver {

        @Override
        public ResolvedKey resolve(BulkheadCall call) {
            throw new WebApplicationException(418);
        }
    }

    @ApplicationScoped
    static class ThrownError implements BulkheadKeyResolver {

        @Override
        public ResolvedKey resolve(BulkheadCall call) {
            throw new AssertionError("a defect");
        }
    }

    @ApplicationScoped
    static class ThrownChecked implements BulkheadKeyResolver {

        @Override
        public ResolvedKey resolve(BulkheadCall call) {
            throw ThrownChecked.<RuntimeException> unchecked(new IOException("no connection"));
        }

        @SuppressWarnings("unchecked")
        private static <E extends Throwable> E unchecked(Throwable failure) throws E {
            throw (E) failure;
        }
    }

    @ApplicationScoped
    static class Source {

        @RedisBulkhead(name = "streams")
        Multi<String> events() {
            return Multi.createFrom().items("ONE", "TWO");
        }

        @RedisBulkhead(name = "streams")
        Multi<String> failing() {
            throw new WebApplicationException(418);
        }

        @RedisBulkhead(name = "patient-streams", maxWait = "30s")
        Multi<String> patient() {
            return Multi.createFrom().items("ONE", "TWO");
        }
    }
}
