package io.quarkiverse.redisbulkhead.entrypoints;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import jakarta.inject.Inject;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.RedisBulkheads;

/**
 * Common parts of the tests: a gate that blocks guarded executions, and a check that no permit is left after the test opens
 * it.
 */
public abstract class EntryPointTestBase {

    @Inject
    Gate gate;

    @Inject
    RedisBulkheads bulkheads;

    @BeforeEach
    void shut() {
        gate.shut();
    }

    @AfterEach
    void assertNothingIsLeft() {
        gate.open();
        // Keyed bulkheads have no holders without a key.
        await().pollDelay(Duration.ZERO).atMost(20, TimeUnit.SECONDS).untilAsserted(() -> assertThat(bulkheads.names())
                .filteredOn(name -> !name.startsWith("keyed") && !name.endsWith("-of-tenant"))
                .allSatisfy(name -> assertThat(holders(name)).as(name).isEmpty()));
    }

    protected void awaitInside(int executions) {
        await().atMost(20, TimeUnit.SECONDS).until(() -> gate.inside() == executions);
    }

    void awaitNoHolder(String bulkhead) {
        await().atMost(20, TimeUnit.SECONDS).untilAsserted(() -> assertThat(holders(bulkhead)).as(bulkhead).isEmpty());
    }

    void awaitWaiter(String bulkhead) {
        await().atMost(20, TimeUnit.SECONDS).until(() -> !bulkheads.semaphore(bulkhead).waiters().isEmpty());
    }

    protected void openGate() {
        gate.open();
    }

    protected List<String> holders(String bulkhead) {
        return bulkheads.semaphore(bulkhead).holders().stream().map(Holder::method).toList();
    }
}
