package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Engine.HolderIdentity;
import io.quarkiverse.redisbulkhead.runtime.store.ShareOverview;
import io.quarkiverse.redisbulkhead.runtime.store.ShareStore.Peers;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;

/** What operators see and change, when instances can ask each other. */
class OperatorsTest extends TwoInstances {

    private final Map<String, Function<String, CompletionStage<String>>> instances = new HashMap<>();
    private final Engine here = engine("here");
    private final Engine there = engine("there");
    private int asked;
    /** From how many questions on no answer arrives, and of which instance. */
    private int lostAnswers;
    private boolean hears = true;
    private boolean silent;
    /** When all answers that come have come. */
    private CompletableFuture<Void> answered = CompletableFuture.completedFuture(null);

    private Engine engine(String name) {
        return new Engine(name, server.connect(name), new Asking(name), one.clock(), new HolderIdentity("app", "host:" + name),
                loss -> {
                }, new WaiterLimits(10), Duration.ofSeconds(1), () -> 1);
    }

    private final class Asking implements Peers {

        private final String name;

        private Asking(String name) {
            this.name = name;
        }

        @Override
        public String ownName() {
            return name;
        }

        @Override
        public CompletionStage<Map<String, String>> ask(Collection<String> others, String request) {
            asked++;
            Map<String, String> answers = new HashMap<>();
            for (String other : others) {
                if (silent && !other.equals(name)) {
                    continue;
                }
                String answer = instances.get(other).apply(request).toCompletableFuture().join();
                if (hears && (other.equals(name) || --lostAnswers < 0)) {
                    answers.put(other, answer);
                }
            }
            return answered.thenApply(done -> answers);
        }

        @Override
        public void answerWith(Function<String, CompletionStage<String>> answers) {
            instances.put(name, answers);
        }
    }

    private final HeldPermit older = held(call(there));
    private final HeldPermit younger = held(call(there));

    private static Admission call(Engine at) {
        return new Semaphore(work(4), at, true, List.of()).admit("m");
    }

    private CompletableFuture<Boolean> revoke() {
        return here.revoke(WORK, older.id()).toCompletableFuture();
    }

    @Test
    void revokeEndsTheExecutionItNames() {
        assertThat(revoke()).isCompletedWithValue(true);

        assertThat(older.isHeld()).isFalse();
        assertThat(younger.isHeld()).isTrue();
        assertThat(revoke()).as("it is not held any more").isCompletedWithValue(false);
    }

    @Test
    void lostAnswerToARevokeEndsNoOtherExecution() {
        lostAnswers = 1;

        assertThat(revoke()).isCompletedWithValue(true);

        assertThat(older.isHeld()).isFalse();
        assertThat(younger.isHeld()).isTrue();
    }

    @Test
    void instanceThatHearsNothingTakesNothingFromOthers() {
        hears = false;

        assertThat(failure(revoke())).isInstanceOf(StoreException.class).hasMessageContaining("hears no answers");

        assertThat(younger.isHeld()).isTrue();
    }

    @Test
    void permitOfASilentInstanceIsTakenInTheStore() {
        silent = true;

        assertThat(revoke()).isCompletedWithValue(true);

        assertThat(older.isHeld()).isNotEqualTo(younger.isHeld());
        assertThat(look().granted()).isEqualTo(1);
    }

    @Test
    void instancesTellWhoHoldsAndWhoWaits() {
        new Semaphore(waiting(2), there, true, List.of()).admit("A#waits");

        Occupancy now = here.occupancy(WORK, 10).toCompletableFuture().join();

        assertThat(now.holders()).extracting(Holder::permitId).containsExactlyInAnyOrder(older.id(), younger.id());
        assertThat(now.waiting()).isEqualTo(1);
        assertThat(now.waiters()).singleElement().satisfies(waiter -> {
            assertThat(waiter.method()).isEqualTo("A#waits");
            assertThat(waiter.ticket()).isPositive();
        });
    }

    /** A statement does not name all of them. */
    @Test
    void callsOfALongLineAreCounted() {
        SemaphoreDefinition waiting = work(4, spec -> spec.maxWait(LONG).keepIdle(Duration.ZERO));
        call(here);
        call(here);
        for (int i = 0; i < 40; i++) {
            new Semaphore(waiting, there, true, List.of()).admit("A#waits");
        }

        assertThat(look().shares()).noneMatch(ShareOverview.Share::keeps);
        assertThat(here.occupancy(WORK, 0).toCompletableFuture().join().waiting()).isEqualTo(40);
    }

    /** Operators know hosts and processes, not the names of instances in the store. */
    @Test
    void idlePermitsAreListedUnderTheProcessThatKeepsThem() {
        older.release();
        younger.release();

        Occupancy now = here.occupancy(WORK, 10).toCompletableFuture().join();

        assertThat(now.idleAt()).containsOnlyKeys("host:there");
    }

    /** What the store says of a silent instance is as old as its answer, not as the end of the wait for other answers. */
    @Test
    void waitForOtherInstancesDoesNotMoveTheTimesOfASilentOne() {
        silent = true;
        answered = new CompletableFuture<>();
        CompletableFuture<Occupancy> asking = here.occupancy(WORK, 10).toCompletableFuture();
        Instant looked = Instant.now();
        await().until(() -> Instant.now().isAfter(looked.plusMillis(50)));

        answered.complete(null);

        assertThat(asking.join().holders()).singleElement()
                .satisfies(holder -> assertThat(holder.since()).isBeforeOrEqualTo(looked));
    }

    /** Each instance shows the cluster's numbers: if each one asked the others, messages would grow with the square. */
    @Test
    void numbersAskNoOtherInstance() {
        older.release();
        call(here).end();

        Occupancy numbers = here.numbers(WORK).toCompletableFuture().join();

        assertThat(asked).isZero();
        assertThat(numbers.inUse()).as("with what the other one keeps").isEqualTo(look().granted() - numbers.idle());
        assertThat(numbers.idle()).as("own idle permits").isEqualTo(1);
        assertThat(here.occupancy(WORK, 0).toCompletableFuture().join().inUse()).as("exactly").isEqualTo(1);
        assertThat(asked).isEqualTo(1);
    }
}
