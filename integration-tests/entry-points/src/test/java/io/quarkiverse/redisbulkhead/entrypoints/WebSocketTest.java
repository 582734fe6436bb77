package io.quarkiverse.redisbulkhead.entrypoints;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.net.http.WebSocket.Listener;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.testredis.CapturedLog;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.websockets.next.OnError;
import io.quarkus.websockets.next.OnTextMessage;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;

/** Endpoints of WebSockets Next. A rejection goes to the endpoint's error handler; without one the connection is closed. */
@QuarkusTest
class WebSocketTest extends EntryPointTestBase {

    private static final int INTERNAL_ERROR = 1011;

    @Test
    void closesTheConnectionWithoutAnErrorHandler() throws Exception {
        Client first = new Client("without-handler");
        Client second = new Client("without-handler");
        first.send();
        awaitInside(1);

        second.send();
        assertThat(second.next()).isEqualTo("closed " + INTERNAL_ERROR);
        openGate();

        assertThat(first.next()).isEqualTo("worker");
        first.close();
    }

    @ParameterizedTest
    @CsvSource({ "blocking, BlockingEndpoint#on, worker, 1", "later, UniEndpoint#on, event loop, 1",
            "stream, StreamEndpoint#on, event loop, 1000" })
    void endpointsAreLimited(String path, String method, String expected, int rejections) throws Exception {
        Client first = new Client(path);
        Client second = new Client(path);
        first.send();
        awaitInside(1);

        assertThat(holders("web socket " + path)).containsExactly(method);
        try (CapturedLog errors = new CapturedLog("", Level.SEVERE)) {
            for (int i = 0; i < rejections; i++) {
                second.send();
                assertThat(second.next()).isEqualTo("web socket " + path + " is full");
            }
            assertThat(errors.texts()).isEmpty();
        }
        openGate();

        assertThat(first.next()).isEqualTo(expected);
        if (!path.equals("stream")) {
            assertThat(holders("web socket " + path)).as("when the client has its response").isEmpty();
        }
        awaitNoHolder("web socket " + path);
        second.send();
        assertThat(second.next()).as("on the connection of the rejected message").isEqualTo(expected);
        first.close();
        second.close();
    }

    private final class Client implements Listener {

        private final BlockingQueue<String> received = new LinkedBlockingQueue<>();
        private final WebSocket connection;

        Client(String path) {
            connection = HttpClient.newHttpClient().newWebSocketBuilder()
                    .buildAsync(URI.create("ws://" + server.getAuthority() + "/web-socket/" + path), this).join();
        }

        void send() {
            connection.sendText("message", true).join();
        }

        String next() throws InterruptedException {
            return received.poll(20, TimeUnit.SECONDS);
        }

        void close() {
            connection.sendClose(WebSocket.NORMAL_CLOSURE, "").join();
        }

        @Override
        public CompletionStage<?> onText(WebSocket webSocket, CharSequence data, boolean last) {
            received.add(data.toString());
            webSocket.request(1);
            return null;
        }

        @Override
        public CompletionStage<?> onClose(WebSocket webSocket, int statusCode, String reason) {
            received.add("closed " + statusCode);
            return null;
        }
    }

    @io.quarkus.websockets.next.WebSocket(path = "/web-socket/blocking")
    public static class BlockingEndpoint {

        @Inject
        Gate gate;

        @OnTextMessage
        @RedisBulkhead(name = "web socket blocking", permits = 1)
        String on(String message) {
            return gate.pass();
        }

        @OnError
        String rejected(BulkheadFullException full) {
            return full.name() + " is full";
        }
    }

    @io.quarkus.websockets.next.WebSocket(path = "/web-socket/later")
    public static class UniEndpoint {

        @Inject
        Gate gate;

        @OnTextMessage
        @RedisBulkhead(name = "web socket later", permits = 1)
        Uni<String> on(String message) {
            return gate.passLater();
        }

        @OnError
        String rejected(BulkheadFullException full) {
            return full.name() + " is full";
        }
    }

    @io.quarkus.websockets.next.WebSocket(path = "/web-socket/stream")
    public static class StreamEndpoint {

        @Inject
        Gate gate;

        @OnTextMessage
        @RedisBulkhead(name = "web socket stream", permits = 1)
        Multi<String> on(String message) {
            return gate.passLater().toMulti();
        }

        @OnError
        String rejected(BulkheadFullException full) {
            return full.name() + " is full";
        }
    }

    @io.quarkus.websockets.next.WebSocket(path = "/web-socket/without-handler")
    public static class EndpointWithoutHandler {

        @Inject
        Gate gate;

        @OnTextMessage
        @RedisBulkhead(name = "web socket without handler", permits = 1)
        String on(String message) {
            return gate.pass();
        }
    }
}
