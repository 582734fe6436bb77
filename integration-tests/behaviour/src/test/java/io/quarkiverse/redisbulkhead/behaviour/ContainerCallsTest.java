package io.quarkiverse.redisbulkhead.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.context.Initialized;
import jakarta.enterprise.event.Event;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.event.ObservesAsync;
import jakarta.enterprise.inject.Disposes;
import jakarta.enterprise.inject.Instance;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.testredis.Caller;
import io.quarkiverse.redisbulkhead.testredis.Gate;
import io.quarkus.runtime.Startup;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.test.junit.QuarkusTest;

/**
 * Methods that the container calls, such as observers and producers, are guarded like those that the application calls.
 */
@QuarkusTest
class ContainerCallsTest extends BehaviourTestBase {

    @Inject
    Event<Ping> pings;
    @Inject
    Event<AsyncPing> asyncPings;
    @Inject
    Instance<Connection> connections;
    @Inject
    AtStart atStart;
    @Inject
    Early early;

    /** Observers reject the caller that fires the event. The permit of a producer is held while its method runs. */
    @ParameterizedTest
    @CsvSource({ "observer, Observers#observe", "asynchronous observer, Observers#observeAsync",
            "producer, Producers#produce" })
    void observersAndProducers(String bulkhead, String method) throws Exception {
        Gate.shut();
        Caller<Object> running = Caller.of(() -> call(bulkhead));
        awaitInside(1);

        assertThat(holders(bulkhead)).containsExactly(method);
        assertThatThrownBy(() -> call(bulkhead)).satisfiesAnyOf(
                rejection -> assertThat(rejection).isInstanceOf(BulkheadFullException.class),
                rejection -> assertThat(rejection).isInstanceOf(CompletionException.class)
                        .hasCauseInstanceOf(BulkheadFullException.class));
        Gate.open();

        assertThat(running.result()).isNotNull();
        assertThat(holders(bulkhead)).as("while the product lives").isEmpty();
    }

    private Object call(String bulkhead) {
        return switch (bulkhead) {
            case "observer" -> {
                pings.fire(new Ping());
                yield "fired";
            }
            case "asynchronous observer" -> asyncPings.fireAsync(new AsyncPing()).toCompletableFuture().join();
            default -> connections.get();
        };
    }

    @Test
    void disposers() {
        Connection product = connections.get();
        try (Permit taken = bulkheads.semaphore("disposer").acquire(Duration.ZERO)) {
            connections.destroy(product);
        }
        assertThat(Producers.DISPOSED).as("disposed without a permit").doesNotContain(product);

        Connection another = connections.get();
        connections.destroy(another);
        assertThat(Producers.DISPOSED).contains(another);
    }

    /** Redis is available as soon as the application starts. */
    @Test
    void methodsThatRunAtStart() {
        assertThat(atStart.seen).containsExactlyInAnyOrder(List.of("AtStart#observe"), List.of("AtStart#startup"));
    }

    /** Such a bean is created while the application is initialized, before run-time configuration is available. */
    @Test
    void beansThatAreCreatedEarly() {
        assertThat(early.call()).isEqualTo("created early: true");
    }

    public record Ping() {
    }

    public record AsyncPing() {
    }

    public static class Connection {
    }

    @ApplicationScoped
    public static class Observers {

        @RedisBulkhead(name = "observer", permits = 1)
        void observe(@Observes Ping ping) {
            Gate.pass();
        }

        @RedisBulkhead(name = "asynchronous observer", permits = 1)
        void observeAsync(@ObservesAsync AsyncPing ping) {
            Gate.pass();
        }
    }

    @ApplicationScoped
    public static class Producers {

        static final List<Connection> DISPOSED = new CopyOnWriteArrayList<>();

        @Produces
        @Dependent
        @RedisBulkhead(name = "producer", permits = 1)
        Connection produce() {
            Gate.pass();
            return new Connection();
        }

        @RedisBulkhead(name = "disposer", permits = 1)
        void dispose(@Disposes Connection connection) {
            DISPOSED.add(connection);
        }
    }

    @Singleton
    public static class AtStart {

        final List<List<String>> seen = new CopyOnWriteArrayList<>();

        @Inject
        RedisBulkheads bulkheads;

        @RedisBulkhead(name = "at start", permits = 1)
        void observe(@Observes StartupEvent event) {
            see();
        }

        @Startup
        @RedisBulkhead(name = "at start", permits = 1)
        void startup() {
            see();
        }

        private void see() {
            seen.add(bulkheads.semaphore("at start").holders().stream().map(Holder::method).toList());
        }
    }

    @Singleton
    public static class Early {

        private boolean createdEarly;

        void onInit(@Observes @Initialized(ApplicationScoped.class) Object event) {
            createdEarly = true;
        }

        @RedisBulkhead(name = "early", permits = 1)
        String call() {
            return "created early: " + createdEarly;
        }
    }
}
