package io.quarkiverse.redisbulkhead.entrypoints;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.common.annotation.Blocking;
import io.smallrye.mutiny.Uni;

/**
 * Message consumers. A message without a permit is rejected (nacked) with the reason, and the failure strategy of its
 * channel applies; the channel continues. {@link BackPressureTest} has messages that wait for their permits.
 */
@QuarkusTest
class MessagingTest extends EntryPointTestBase {

    @Inject
    Sender sender;

    @Inject
    Consumers consumers;

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
        @Channel("later")
        Emitter<String> later;
        @Channel("in")
        Emitter<String> in;

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

        @Incoming("later")
        @RedisBulkhead(name = "messages", permits = 1)
        Uni<Void> consumeLater(String message) {
            return gate.passLater().invoke(() -> consumed.add(message)).replaceWithVoid();
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
    }
}
