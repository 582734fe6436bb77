package io.quarkiverse.redisbulkhead.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import jakarta.inject.Inject;

import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;

import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.BulkheadDeclaration;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.test.UniAssertSubscriber;

/** Common parts of the tests. No bulkhead that a test class declares may have a holder or a waiter after a test. */
abstract class BehaviourTestBase {

    static final Duration LONG = Duration.ofSeconds(20);

    @Inject
    RedisBulkheads bulkheads;
    @Inject
    Declarations declarations;
    @Inject
    Gate gate;

    /** The names that the beans nested in this class declare. */
    final Set<String> ownBulkheads() {
        Predicate<BulkheadDeclaration> own = declaration -> declaration.location().startsWith(getClass().getName() + "$");
        return declarations.bulkheads().stream().filter(own).map(BulkheadDeclaration::name)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @AfterEach
    void assertNothingIsLeft() {
        gate.open();
        ownBulkheads().stream().filter(name -> !bulkheads.semaphore(name).needsKey()).forEach(this::awaitNothingLeft);
    }

    final void awaitNothingLeft(String name) {
        eventually(() -> {
            assertThat(holders(name)).as("holders of %s", name).isEmpty();
            assertThat(bulkheads.semaphore(name).waiters()).as("waiters of %s", name).isEmpty();
        });
    }

    final void awaitWaiters(String name, int number) {
        eventually(() -> assertThat(bulkheads.semaphore(name).waiters()).as("waiters of %s", name).hasSize(number));
    }

    /** Waits until guarded executions are blocked by the gate. */
    final void awaitInside(int executions) {
        eventually(() -> assertThat(gate.inside()).isEqualTo(executions));
    }

    /** The methods that hold permits. */
    final List<String> holders(String name) {
        return bulkheads.semaphore(name).holders().stream().map(Holder::method).toList();
    }

    final int inUse(String name) {
        return bulkheads.semaphore(name).status().inUse();
    }

    final Permit take(String name) {
        return bulkheads.semaphore(name).acquire(LONG);
    }

    static void eventually(ThrowingRunnable assertion) {
        await().atMost(LONG).pollDelay(Duration.ZERO).untilAsserted(assertion);
    }

    static <T> T get(Uni<T> uni) {
        return uni.await().atMost(LONG);
    }

    static <T> UniAssertSubscriber<T> subscribe(Uni<T> uni) {
        return uni.subscribe().withSubscriber(UniAssertSubscriber.create());
    }
}
