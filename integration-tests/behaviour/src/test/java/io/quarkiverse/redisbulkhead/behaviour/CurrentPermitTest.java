package io.quarkiverse.redisbulkhead.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.CurrentPermit;
import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.PermitGoneException;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;

/** A guarded method finds its own permit, and only its own. */
@QuarkusTest
class CurrentPermitTest extends BehaviourTestBase {

    @Inject
    Guarded guarded;
    @Inject
    CurrentPermit current;

    @Test
    void inASynchronousMethod() {
        Permit permit = guarded.ledger(now -> {
            Permit own = now.get();
            assertThat(own.bulkhead()).isEqualTo("ledger");
            assertThat(own.refresh()).isTrue();
            assertThat(bulkheads.semaphore("ledger").holders()).extracting(Holder::permitId, Holder::ticket)
                    .containsExactly(tuple(own.id(), own.fencingToken()));
            assertThat(now.find("ledger").map(Permit::id)).contains(own.id());
            assertThat(now.find("other")).isEmpty();
            assertThatThrownBy(() -> now.find(null)).isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("`bulkhead` must not be `null`");
            return own;
        });

        assertThat(permit.isHeld()).as("after the call").isFalse();
        assertThat(permit.refresh()).isFalse();
        assertThat(permit.release()).isFalse();
    }

    /** The method reads its permit while it builds the Uni; the permit stays valid until the Uni ends. */
    @Test
    void inAMethodThatReturnsAUni() {
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletableFuture<Permit> seen = new CompletableFuture<>();
        CompletableFuture<String> result = guarded.uni(now -> {
            seen.complete(now.get());
            return Uni.createFrom().completionStage(work);
        }).subscribeAsCompletionStage();
        Permit permit = seen.join();
        assertThat(permit.isHeld()).isTrue();

        work.complete("done");

        eventually(() -> assertThat(result).isCompletedWithValue("done"));
        assertThat(permit.isHeld()).isFalse();
    }

    @Test
    void inAMethodThatReturnsAStageOrAMulti() {
        assertThat(guarded.stage().toCompletableFuture().orTimeout(10, TimeUnit.SECONDS).join()).isEqualTo("ledger");
        assertThat(get(guarded.multi().collect().asList())).containsExactly("ledger");
    }

    /** The call has waited, so the method is called on another thread. */
    @Test
    void afterAWait() {
        Permit taken = take("ledger");
        CompletableFuture<Long> token = guarded.uni(now -> Uni.createFrom().item(now.get().fencingToken()))
                .subscribeAsCompletionStage();
        awaitWaiters("ledger", 1);
        assertThat(token).isNotDone();
        long takenToken = taken.fencingToken();

        taken.release();

        eventually(() -> assertThat(token).isCompletedWithValueMatching(later -> later > takenToken));
    }

    @Test
    void nested() {
        guarded.ledger(outer -> {
            Permit ledger = outer.get();
            guarded.journal(inner -> {
                assertThat(inner.get().bulkhead()).isEqualTo("journal");
                assertThat(inner.find("ledger").map(Permit::id)).contains(ledger.id());
                return null;
            });
            assertThat(outer.get().id()).isEqualTo(ledger.id());
            assertThat(outer.find("journal")).isEmpty();
            return null;
        });
        assertNone();
    }

    @Test
    void severalBulkheadsOnOneMethod() {
        assertThat(guarded.both()).as("the last one acquired").isEqualTo("journal; ledger, journal");
        assertNone();
    }

    @Test
    void outside() {
        assertNone();
        assertThatThrownBy(() -> guarded.plain(CurrentPermit::get)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void afterAFailure() {
        assertThatThrownBy(() -> guarded.ledger(now -> {
            throw new IllegalArgumentException("own");
        })).hasMessage("own");
        assertNone();
    }

    @Test
    void onAnotherThread() {
        guarded.ledger(now -> CompletableFuture.runAsync(this::assertNone).orTimeout(10, TimeUnit.SECONDS).join());
    }

    /** A token of another bulkhead would fence the wrong resource. */
    @Test
    void disabledBulkheadWithinAnother() {
        guarded.ledger(outer -> guarded.off(now -> {
            Permit uncounted = now.get();
            assertThat(uncounted.bulkhead()).isEqualTo("current-off");
            assertThat(uncounted.fencingToken()).isZero();
            assertThat(uncounted.id()).isEmpty();
            assertThat(now.find("current-off")).isPresent();
            return null;
        }));
    }

    /** The programmatic API also sets the current permit. */
    @Test
    void inAnActionRunByASemaphore() throws Exception {
        assertThat(bulkheads.semaphore("ledger").call(() -> current.get().bulkhead())).isEqualTo("ledger");
        assertThat(get(bulkheads.semaphore("ledger").callAsync(() -> Uni.createFrom().item(current.get().bulkhead()))))
                .isEqualTo("ledger");
        try (Permit permit = take("ledger")) {
            assertNone();
        }
    }

    @Test
    void detachedPermitIsNotReleasedByTheGuardedMethod() {
        assertHandedOver(guarded.ledger(now -> now.get().detach()));
        assertHandedOver(get(guarded.uni(now -> now.get().detachAsync())));
    }

    private void assertHandedOver(String token) {
        RedisSemaphore ledger = bulkheads.semaphore("ledger");
        Holder detached = ledger.holders().get(0);
        assertThat(detached.state()).isEqualTo(Holder.State.DETACHED);
        assertThat(ledger.tryAcquire()).isEmpty();

        try (Permit permit = ledger.attach(token)) {
            assertThat(permit.refresh()).isTrue();
            assertThat(permit.fencingToken()).isGreaterThan(detached.ticket());
            assertThat(permit.id()).isNotEqualTo(detached.permitId());
            assertThat(ledger.holders()).extracting(Holder::permitId, Holder::state)
                    .containsExactly(tuple(permit.id(), Holder.State.HELD));
        }
        assertThat(ledger.holders()).isEmpty();
        assertThatThrownBy(() -> ledger.attach(token)).isInstanceOf(PermitGoneException.class)
                .hasMessageContaining("was already attached");
        assertThatThrownBy(() -> get(ledger.attachAsync(token))).isInstanceOf(PermitGoneException.class);
    }

    private void assertNone() {
        assertThatThrownBy(() -> current.get()).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("@RedisBulkhead").hasMessageContaining("Uni");
        assertThat(current.find("ledger")).isEmpty();
    }

    @ApplicationScoped
    public static class Guarded {

        @Inject
        CurrentPermit current;

        @RedisBulkhead(name = "ledger", permits = 1, maxWait = "10s")
        <T> T ledger(Function<CurrentPermit, T> body) {
            return body.apply(current);
        }

        @RedisBulkhead(name = "journal", permits = 1)
        <T> T journal(Function<CurrentPermit, T> body) {
            return body.apply(current);
        }

        @RedisBulkhead(name = "ledger", permits = 1, maxWait = "10s")
        @RedisBulkhead(name = "journal", permits = 1)
        String both() {
            return current.get().bulkhead() + "; " + current.find("ledger").orElseThrow().bulkhead() + ", "
                    + current.find("journal").orElseThrow().bulkhead();
        }

        @RedisBulkhead(name = "ledger", permits = 1, maxWait = "10s")
        <T> Uni<T> uni(Function<CurrentPermit, Uni<T>> body) {
            return body.apply(current);
        }

        @RedisBulkhead(name = "ledger", permits = 1, maxWait = "10s")
        CompletionStage<String> stage() {
            return CompletableFuture.completedStage(current.get().bulkhead());
        }

        @RedisBulkhead(name = "ledger", permits = 1, maxWait = "10s")
        Multi<String> multi() {
            return Multi.createFrom().item(current.get().bulkhead());
        }

        @RedisBulkhead(name = "current-off", permits = 1)
        <T> T off(Function<CurrentPermit, T> body) {
            return body.apply(current);
        }

        <T> T plain(Function<CurrentPermit, T> body) {
            return body.apply(current);
        }
    }
}
