package io.quarkiverse.redisbulkhead.entrypoints;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.eclipse.microprofile.reactive.messaging.Incoming;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkus.test.common.TestResourceScope;
import io.quarkus.test.common.WithTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.common.annotation.Blocking;
import io.smallrye.mutiny.Uni;

/**
 * Consumers of a real connector, AMQP 1.0. While a message waits for its permit, the consumer grants no credit, and neither
 * acknowledges nor rejects a message.
 */
@QuarkusTest
@WithTestResource(value = AmqpBroker.class, scope = TestResourceScope.GLOBAL)
class BackPressureTest extends EntryPointTestBase {

    /** The prefetch limit of the connector. */
    private static final int CREDIT = 1_000;
    private static final int MESSAGES = 2_000;
    private static final Duration SOON = Duration.ofMinutes(2);

    AmqpBroker broker;

    @ParameterizedTest
    @ValueSource(strings = { "orders", "blocking orders" })
    void waitingConsumerReceivesNoMoreMessages(String address) {
        AmqpBroker.Queue queue = broker.queue(address);
        try (Permit elsewhere = bulkheads.semaphore(address).tryAcquire().orElseThrow()) {
            queue.add(MESSAGES);
            awaitWaiter(address);
            await().atMost(SOON).until(() -> queue.sent() >= CREDIT);

            await().during(Duration.ofMillis(500)).atMost(SOON).untilAsserted(() -> {
                assertThat(queue.sent()).isLessThan(MESSAGES);
                assertThat(queue.accepted()).isZero();
                assertThat(queue.refused()).isEmpty();
                assertThat(bulkheads.semaphore(address).waiters()).hasSize(1);
            });
        }

        await().atMost(SOON).until(() -> queue.accepted() == MESSAGES);
        assertThat(queue.refused()).isEmpty();
    }

    @Test
    void rejectsAMessageAfterMaxWaitAndContinues() {
        AmqpBroker.Queue queue = broker.queue("impatient orders");
        try (Permit elsewhere = bulkheads.semaphore("impatient orders").tryAcquire().orElseThrow()) {
            queue.add(2);

            await().atMost(SOON).untilAsserted(() -> assertThat(queue.refused()).containsExactly("Released", "Released"));
            assertThat(queue.accepted()).isZero();
        }
        queue.add(1);

        await().atMost(SOON).until(() -> queue.accepted() == 1);
    }

    @ApplicationScoped
    public static class Consumers {

        @Inject
        Orders orders;

        // tag::consumer[]
        @Incoming("orders")
        @RedisBulkhead(name = "orders", permits = 1, maxWait = "1h")
        Uni<Void> take(String order) {
            return orders.ship(order);
        }
        // end::consumer[]

        @Incoming("blocking-orders")
        @Blocking
        @RedisBulkhead(name = "blocking orders", permits = 1, maxWait = "1h")
        void takeBlocking(String order) {
            orders.ship(order).await().indefinitely();
        }

        @Incoming("impatient-orders")
        @RedisBulkhead(name = "impatient orders", permits = 1, maxWait = "200ms")
        Uni<Void> takeSoon(String order) {
            return orders.ship(order);
        }
    }

    @ApplicationScoped
    public static class Orders {

        Uni<Void> ship(String order) {
            return Uni.createFrom().voidItem();
        }
    }
}
