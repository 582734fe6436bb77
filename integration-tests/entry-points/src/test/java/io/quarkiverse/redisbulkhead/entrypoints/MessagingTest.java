package io.quarkiverse.redisbulkhead.entrypoints;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.eclipse.microprofile.reactive.messaging.Channel;
import org.eclipse.microprofile.reactive.messaging.Emitter;
import org.eclipse.microprofile.reactive.messaging.Incoming;
import org.eclipse.microprofile.reactive.messaging.Outgoing;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.common.annotation.Blocking;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Vertx;

/**
 * Message consumers. A message without a permit is rejected (nacked) with the reason, and the failure strategy of its
 * channel applies; the channel continues.
 */
@QuarkusTest
class MessagingTest extends EntryPointTestBase {

    @Inject
    Sender sender;

    @Inject
    Consumers consumers;

    @Inject
    Vertx vertx;

    @BeforeEach
    void forget() {
        consumers.consumed.clear();
    }

    /** Consumers that return a value or a Uni, and processors: one of them rejects a message while another has the permit. */
    @ParameterizedTest
    @CsvSource({ "later, blocking, Consumers#consumeLater, first, third on worker",
            "blocking, later, Consumers#consume, first on worker, third",
            "blocking, in, Consumers#consume, first on worker, processed third" })
    void consumersAreLimited(String channel, String otherChannel, String holder, String first, String third) throws Exception {
        CompletionStage<Void> running = sender.of(channel).send("first");
        awaitInside(1);
        assertThat(holders("messages")).containsExactly(holder);
        assertRejected(sender.of(otherChannel).send("second"));
        openGate();
        assertAcknowledged(running);
        assertAcknowledged(sender.of(otherChannel).send("third"));
        assertThat(consumers.consumed).containsExactly(first, third);
    }

    @Test
    void messageWaitsForItsPermit() throws Exception {
        CompletionStage<Void> first = sender.patient.send("first");
        awaitInside(1);
        CompletionStage<Void> second = sender.alsoPatient.send("second");
        awaitWaiter("patient messages");
        openGate();

        assertAcknowledged(first);
        assertAcknowledged(second);
        assertThat(consumers.consumed).containsExactly("first", "second");
    }

    /**
     * Trap 15: without {@code @Blocking}, the consumer is called on the thread of the connector, usually an event loop.
     */
    @Test
    void consumersFailInsteadOfBlockingTheEventLoop() {
        CompletableFuture<Void> sent = new CompletableFuture<>();
        vertx.getOrCreateContext().runOnContext(context -> {
            Uni<Void> sending = Uni.createFrom().completionStage(sender.onEventLoop.send("message"));
            sending.subscribe().with(sent::complete, sent::completeExceptionally);
        });

        assertThatThrownBy(() -> sent.get(20, TimeUnit.SECONDS)).hasMessageContaining("Consumers#consumeOnEventLoop")
                .hasMessageContaining("must not be called on an event loop");
        assertThat(consumers.consumed).isEmpty();
    }

    private void assertAcknowledged(CompletionStage<Void> sent) throws Exception {
        sent.toCompletableFuture().get(20, TimeUnit.SECONDS);
    }

    private void assertRejected(CompletionStage<Void> sent) {
        assertThatThrownBy(() -> sent.toCompletableFuture().get(20, TimeUnit.SECONDS))
                .hasCauseInstanceOf(BulkheadFullException.class);
    }

    @Singleton
    public static class Sender {

        @Channel("blocking")
        Emitter<String> blocking;
        @Channel("on-event-loop")
        Emitter<String> onEventLoop;
        @Channel("later")
        Emitter<String> later;
        @Channel("in")
        Emitter<String> in;
        @Channel("patient")
        Emitter<String> patient;
        @Channel("also-patient")
        Emitter<String> alsoPatient;

        Emitter<String> of(String channel) {
            return switch (channel) {
                case "later" -> later;
                case "in" -> in;
                default -> blocking;
            };
        }
    }

    @Singleton
    public static class Consumers {

        final List<String> consumed = new CopyOnWriteArrayList<>();

        @Inject
        Gate gate;

        @Incoming("blocking")
        @Blocking
        @RedisBulkhead(name = "messages", permits = 1)
        void consume(String message) {
            consumed.add(message + " on " + gate.pass());
        }

        @Incoming("on-event-loop")
        @RedisBulkhead(name = "messages", permits = 1)
        void consumeOnEventLoop(String message) {
            consumed.add(message);
        }

        @Incoming("later")
        @RedisBulkhead(name = "messages", permits = 1)
        Uni<Void> consumeLater(String message) {
            return finish(message);
        }

        @Incoming("in")
        @Outgoing("out")
        @RedisBulkhead(name = "messages", permits = 1)
        Uni<String> process(String message) {
            return Uni.createFrom().item("processed " + message);
        }

        @Incoming("out")
        void take(String message) {
            consumed.add(message);
        }

        @Incoming("patient")
        @RedisBulkhead(name = "patient messages", permits = 1, maxWait = "15s")
        Uni<Void> consumePatiently(String message) {
            return finish(message);
        }

        @Incoming("also-patient")
        @RedisBulkhead(name = "patient messages", permits = 1, maxWait = "15s")
        Uni<Void> consumePatientlyToo(String message) {
            return finish(message);
        }

        private Uni<Void> finish(String message) {
            return gate.passLater().invoke(() -> consumed.add(message)).replaceWithVoid();
        }
    }
}
