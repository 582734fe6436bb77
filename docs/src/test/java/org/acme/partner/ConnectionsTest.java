package org.acme.partner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;

import jakarta.inject.Inject;

import org.eclipse.microprofile.faulttolerance.exceptions.BulkheadException;
import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkus.test.junit.QuarkusTest;

/** Two bounds: one for all instances, and one in each of them. */
@QuarkusTest
class ConnectionsTest {

    @Inject
    Connections connections;

    @Inject
    Partner partner;

    @Test
    void anInstanceUsesAtMostThree() throws InterruptedException {
        CountDownLatch inside = new CountDownLatch(3);
        CountDownLatch end = new CountDownLatch(1);
        partner.onCall(() -> {
            inside.countDown();
            await(end);
        });
        try {
            List<CompletableFuture<BigDecimal>> three = Stream
                    .generate(() -> CompletableFuture.supplyAsync(() -> connections.price("teapot"))).limit(3).toList();
            inside.await();
            assertThatThrownBy(() -> connections.price("teapot")).isInstanceOf(BulkheadException.class)
                    .isNotInstanceOf(BulkheadFullException.class);
            end.countDown();
            assertThat(three).allSatisfy(call -> assertThat(call.join()).isPositive());
        } finally {
            end.countDown();
            partner.onCall(() -> {
            });
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
