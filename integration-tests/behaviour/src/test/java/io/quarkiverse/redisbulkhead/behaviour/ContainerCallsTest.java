package io.quarkiverse.redisbulkhead.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

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

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
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

    @Test
    void observers() throws Exception {
        gate.shut();
        Caller<String> running = Caller.of(() -> fire());
        awaitInside(1);

        assertThat(holders("observer")).containsExactly("Observers#observe");
        assertThatThrownBy(() -> fire()).as("the caller that fires the event").isInstanceOf(BulkheadFullException.class);
        gate.open();

        assertThat(running.result()).isEqualTo("fired");
    }

    @Test
    void asynchronousObservers() throws Exception {
        gate.shut();
        var running = asyncPings.fireAsync(new AsyncPing()).toCompletableFuture();
        awaitInside(1);

        assertThat(holders("asynchronous observer")).containsExactly("Observers#observeAsync");
        assertThatThrownBy(() -> asyncPings.fireAsync(new AsyncPing()).toCompletableFuture().join())
                .isInstanceOf(CompletionException.class).hasCauseInstanceOf(BulkheadFullException.class);
        gate.open();

        running.get(10, TimeUnit.SECONDS);
    }

    /** The permit is held while the producer method runs, not while its product lives. */
    @Test
    void producers() throws Exception {
        gate.shut();
        Caller<Connection> running = Caller.of(connections::get);
        awaitInside(1);

        assertThat(holders("producer")).containsExactly("Producers#produce");
        assertThatThrownBy(connections::get).isInstanceOf(BulkheadFullException.class);
        gate.open();

        assertThat(running.result()).isNotNull();
        assertThat(holders("producer")).isEmpty();
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

    private String fire() {
        pings.fire(new Ping());
        return "fired";
    }

    public record Ping() {
    }

    public record AsyncPing() {
    }

    public static class Connection {
    }

    @ApplicationScoped
    public static class Observers {

        @Inject
        Gate gate;

        @RedisBulkhead(name = "observer", permits = 1)
        void observe(@Observes Ping ping) {
            gate.pass();
        }

        @RedisBulkhead(name = "asynchronous observer", permits = 1)
        void observeAsync(@ObservesAsync AsyncPing ping) {
            gate.pass();
        }
    }

    @ApplicationScoped
    public static class Producers {

        static final List<Connection> DISPOSED = new CopyOnWriteArrayList<>();

        @Inject
        Gate gate;

        @Produces
        @Dependent
        @RedisBulkhead(name = "producer", permits = 1)
        Connection produce() {
            gate.pass();
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
