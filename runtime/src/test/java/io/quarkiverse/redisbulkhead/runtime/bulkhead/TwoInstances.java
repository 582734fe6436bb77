package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.Failures;
import io.quarkiverse.redisbulkhead.runtime.store.InMemoryShareStore;
import io.quarkiverse.redisbulkhead.runtime.store.ShareOverview;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException.Kind;

/** Two instances that share a store in memory, on a manual clock, and what tests do with their calls. */
abstract class TwoInstances {

    static final BulkheadId WORK = BulkheadId.of("work");
    static final Duration LONG = Duration.ofMinutes(5);

    final InMemoryShareStore server = new InMemoryShareStore(1);
    final SimulatedInstance one = new SimulatedInstance("one", server);
    final SimulatedInstance two = new SimulatedInstance("two", server);

    /** The bulkhead {@link #WORK}: fair, with a lease of six seconds. */
    static SemaphoreDefinition work(int permits, UnaryOperator<SemaphoreSpec.Builder> more) {
        return SemaphoreDefinition
                .of(more.apply(SemaphoreSpec.named("work").permits(permits).fair(true).expire(Duration.ofSeconds(6))).build());
    }

    static SemaphoreDefinition work(int permits) {
        return work(permits, spec -> spec.maxWait(Duration.ZERO));
    }

    static SemaphoreDefinition waiting(int permits) {
        return work(permits, spec -> spec.maxWait(LONG));
    }

    static Admission call(SimulatedInstance at, SemaphoreDefinition definition, HeldPermit... around) {
        return new Semaphore(definition, at.engine, true, List.of(around)).admit("m");
    }

    static Semaphore semaphore(SimulatedInstance at, SemaphoreSpec spec) {
        return new Semaphore(at.engine, spec, true);
    }

    static HeldPermit held(Admission admission) {
        assertThat(admission.isHeldNow()).as("holds a permit").isTrue();
        return admission.heldNow().get(0);
    }

    static void waits(Admission admission) {
        assertThat(admission.granted().toCompletableFuture()).as("waits").isNotDone();
    }

    static Throwable rejection(Admission admission) {
        return failure(admission.granted());
    }

    static Throwable failure(CompletionStage<?> stage) {
        CompletableFuture<?> outcome = stage.toCompletableFuture();
        assertThat(outcome).as("has failed").isCompletedExceptionally();
        return Failures.cause(outcome.handle((value, failure) -> failure).join());
    }

    static StoreException away() {
        return new StoreException(Kind.AWAY, "Redis is away");
    }

    /** Each way to the store and back takes that long. */
    void slowly(long micros) {
        server.leastDelayMicros = micros;
        server.mostDelayMicros = micros;
    }

    void advance(Duration time) {
        server.advance(time.toNanos() / 1_000);
    }

    ShareOverview look() {
        return server.connect("observer").look(WORK, 100).toCompletableFuture().join();
    }

    /** Also while messages take their time. */
    int sharesNow() {
        CompletionStage<ShareOverview> seen = server.connect("observer").look(WORK, 10);
        advance(Duration.ofMillis(50));
        return seen.toCompletableFuture().join().granted();
    }
}
