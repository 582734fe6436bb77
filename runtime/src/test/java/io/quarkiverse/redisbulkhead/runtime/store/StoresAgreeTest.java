package io.quarkiverse.redisbulkhead.runtime.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.runtime.store.ComparedHistory.Step;
import io.quarkiverse.redisbulkhead.runtime.store.redis.BulkheadKeys.Part;

/**
 * Trap 46: the Java state machine and the Redis stores play generated histories in parallel, on one clock, and have the same
 * replies, notifications and data after each step. The system property {@code model.seed} sets the seed of the first history;
 * a failure reports the seed that repeats it. {@code model.histories} sets the number of histories; the profile {@code
 * weekly} runs many.
 */
class StoresAgreeTest {

    private static final long FIRST_SEED = Long.getLong("model.seed", 1);
    private static final int HISTORIES = Integer.getInteger("model.histories", 20);
    private static final int STEPS = 80;

    private static ComparedStore machine;
    private static ComparedStore lock;
    private static ComparedStore script;

    @BeforeAll
    static void open() {
        machine = ComparedStore.machine();
        lock = ComparedStore.lock();
        script = ComparedStore.script();
    }

    @AfterAll
    static void close() {
        script.close();
        lock.close();
        machine.close();
    }

    @Test
    @DisplayName("Trap 46: the lock store agrees with the state machine")
    void lockStoreAgreesWithTheStateMachine() {
        compare(List.of(machine, lock), true);
    }

    @Test
    @DisplayName("Trap 46: the scripts agree with the state machine")
    void scriptsAgreeWithTheStateMachine() {
        // The clock does not go back: the scripts cut only what they read, so expired entries may become valid for a moment.
        compare(List.of(machine, script), false);
    }

    @Test
    @DisplayName("Trap 46: a cancellation of a holder and a standby waiter wakes one waiter in every store")
    void cancellationWakesOneWaiterInEveryStore() {
        agree(standby(0, "a", 1), standby(0, "w1", 1), standby(1, "w2", 1), standby(2, "w3", 1),
                ComparedHistory.calls(ComparedHistory.cancel(0, 1_000, List.of("a", "w1"))));
    }

    @Test
    @DisplayName("Trap 46: a woken standby waiter that found no permit regains its turn in every store")
    void unsuccessfulWaiterRegainsItsTurnInEveryStore() {
        agree(standby(0, "a", 1), standby(1, "w1", 1), ComparedHistory.passes(1_000), standby(2, "w2", 1),
                ComparedHistory.calls(ComparedHistory.release(0, "a")), standby(0, "b", 1), standby(1, "w1", 1),
                ComparedHistory.calls(ComparedHistory.release(0, "b")));
    }

    @Test
    @DisplayName("Trap 46: the lease of a hand-over starts at the next whole millisecond in every store")
    void handOverLeaseStartsAtTheSameTimeInEveryStore() {
        agree(ComparedHistory.passes(300),
                ComparedHistory.calls(ComparedHistory.acquire(0, "a", 1, 20_000, true, 3_000, 0)),
                ComparedHistory.calls(ComparedHistory.acquire(1, "b", 1, 20_000, true, 3_000, 0)), ComparedHistory.passes(300),
                ComparedHistory.calls(ComparedHistory.release(0, "a")));
    }

    @Test
    @DisplayName("Trap 46: a renewal does not hide from later calls that waiters were lost")
    void renewalDoesNotHideLostWaiters() {
        agree(fair(0, "a", 0), fair(1, "w", 0), ComparedHistory.loses(Part.STATE),
                ComparedHistory.calls(ComparedHistory.renew(0, Map.of("a", 20_000L))),
                ComparedHistory.calls(ComparedHistory.release(0, "a")), fair(2, "new", 0), fair(1, "w", -1),
                ComparedHistory.passes(1_250_000), ComparedHistory.calls(ComparedHistory.poll(1, 1, List.of("w"), 3_000)));
    }

    @Test
    @DisplayName("Trap 46: a permit whose record was lost gets no invented token")
    void permitWithoutARecordHasNoTokenInEveryStore() {
        agree(fair(0, "a", 0), fair(1, "w", 0), ComparedHistory.calls(ComparedHistory.release(0, "a")),
                ComparedHistory.loses(Part.STATE), ComparedHistory.calls(ComparedHistory.poll(1, 1, List.of("w"), 3_000)),
                ComparedHistory.calls(ComparedHistory.resize(0, 2)), fair(1, "w", 0), fair(1, "w", 0),
                ComparedHistory.calls(ComparedHistory.poll(1, 1, List.of("w"), 3_000)));
    }

    private static Step fair(int process, String id, long ticket) {
        return ComparedHistory.calls(ComparedHistory.acquire(process, id, 1, 20_000, true, 3_000, ticket));
    }

    private static Step standby(int process, String id, int limit) {
        return ComparedHistory.calls(ComparedHistory.acquire(process, id, limit, 20_000, false, 3_000, 0));
    }

    private static void agree(Step... history) {
        assertThat(ComparedHistory.difference(List.of(machine, lock, script), List.of(history))).isEmpty();
    }

    private static void compare(List<ComparedStore> stores, boolean clockMayGoBack) {
        for (long seed = FIRST_SEED; seed < FIRST_SEED + HISTORIES; seed++) {
            List<Step> history = ComparedHistory.generate(seed, STEPS, clockMayGoBack);
            Optional<String> difference = ComparedHistory.difference(stores, history);
            if (difference.isPresent()) {
                List<Step> shrunk = Shrinker.shrink(history, steps -> ComparedHistory.difference(stores, steps).isPresent());
                StringBuilder report = new StringBuilder("The stores differ. To repeat: -Dmodel.seed=" + seed + "\n");
                shrunk.forEach(step -> report.append("  ").append(step).append('\n'));
                assertThat(ComparedHistory.difference(stores, shrunk).orElse(difference.get())).as(report.toString()).isNull();
            }
        }
    }
}
