package io.quarkiverse.redisbulkhead.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import jakarta.enterprise.event.Observes;
import jakarta.enterprise.event.ObservesAsync;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;

import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.BulkheadDeclaration;
import io.quarkiverse.redisbulkhead.testredis.Gate;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.test.UniAssertSubscriber;
import io.vertx.core.Context;
import io.vertx.core.Vertx;

/** Common parts of the tests. No bulkhead that a test class declares may have a holder or a waiter after a test. */
abstract class BehaviourTestBase {

    static final Duration LONG = Duration.ofSeconds(20);

    @Inject
    RedisBulkheads bulkheads;
    @Inject
    Declarations declarations;
    @Inject
    Losses losses;
    @Inject
    Vertx vertx;

    /** The names that the beans nested in this class declare. */
    final Set<String> ownBulkheads() {
        return bulkheads(true);
    }

    private Set<String> bulkheads(boolean own) {
        String beans = getClass().getName() + "$";
        return declarations.bulkheads().stream().filter(declaration -> declaration.location().startsWith(beans) == own)
                .map(BulkheadDeclaration::name).collect(Collectors.toCollection(TreeSet::new));
    }

    @AfterEach
    void assertNothingIsLeft() {
        Gate.open();
        assertThat(ownBulkheads()).as("names of one test class").doesNotContainAnyElementsOf(bulkheads(false));
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
        eventually(() -> assertThat(Gate.inside()).isEqualTo(executions));
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

    /** Makes calls on an event loop, where nothing may block, and returns the failures by the names of the calls. */
    final Map<String, Throwable> failuresOnAnEventLoop(Map<String, Runnable> calls) throws Exception {
        CompletableFuture<Map<String, Throwable>> done = new CompletableFuture<>();
        vertx.runOnContext(now -> {
            Map<String, Throwable> failures = new LinkedHashMap<>();
            calls.forEach((method, call) -> {
                try {
                    call.run();
                } catch (Throwable e) {
                    failures.put(method, e);
                }
            });
            done.complete(failures);
        });
        return done.get(20, TimeUnit.SECONDS);
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

    /** The losses that the application observed, with both kinds of observers. */
    @Singleton
    public static class Losses {

        final List<PermitLost> synchronous = new CopyOnWriteArrayList<>();
        final List<PermitLost> asynchronous = new CopyOnWriteArrayList<>();

        void observe(@Observes PermitLost loss) {
            if (!Context.isOnEventLoopThread()) {
                synchronous.add(loss);
            }
        }

        void observeLater(@ObservesAsync PermitLost loss) {
            asynchronous.add(loss);
        }
    }
}
