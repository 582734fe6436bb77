package io.quarkiverse.redisbulkhead.deployment.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import java.util.stream.Stream;

import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.eclipse.microprofile.faulttolerance.Fallback;
import org.eclipse.microprofile.faulttolerance.Retry;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.deployment.OptionalExtensions;
import io.quarkiverse.redisbulkhead.runtime.RedisBulkheadRecorder;
import io.quarkiverse.redisbulkhead.runtime.guard.Guard.SkippingGuard;
import io.quarkiverse.redisbulkhead.runtime.scheduler.TrackedRuns;
import io.quarkiverse.redisbulkhead.testredis.CapturedLog;
import io.quarkus.scheduler.FailedExecution;
import io.quarkus.scheduler.Scheduled;
import io.quarkus.scheduler.ScheduledExecution;
import io.quarkus.scheduler.SkippedExecution;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Uni;

/** A full bulkhead skips runs of scheduled methods, and calls of methods with {@code on-full=skip}. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ScheduledTest {

    private static final Duration LONG = Duration.ofSeconds(20);

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .setForcedDependencies(OptionalExtensions.of(OptionalExtensions.SCHEDULER, OptionalExtensions.METRICS,
                    OptionalExtensions.FAULT_TOLERANCE))
            .withApplicationRoot(jar -> jar.addClasses(OptionalExtensions.class, Scrape.class, Scrape.Sample.class, Jobs.class,
                    Workdays.class, Calendar.class, Days.class, Weekends.class, Cleanup.class, Events.class, StoppingJobs.class,
                    Reports.class))
            // A busy machine may delay replies from Redis.
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.command-timeout", "10s")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.\"explicit\".on-full", "reject")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.\"rejecting\".on-full", "reject")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.\"rejecting-later\".on-full", "reject")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.\"cleanup\".on-full", "skip")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.\"outer\".on-full", "skip")
            .overrideConfigKey("quarkus.log.category.\"io.quarkiverse.redisbulkhead\".level", "DEBUG")
            .setLogRecordPredicate(record -> record.getMessage().startsWith("Skipped "))
            .assertLogRecords(records -> assertThat(records).isNotEmpty()
                    .allSatisfy(record -> assertThat(record.getLevel().intValue()).isLessThan(Level.INFO.intValue())));

    @Inject
    RedisBulkheads bulkheads;

    @Inject
    Events events;

    @Inject
    Jobs jobs;

    @Inject
    Cleanup cleanup;

    @Inject
    StoppingJobs stopping;

    private Permit take(String bulkhead) {
        return bulkheads.semaphore(bulkhead).acquire(Duration.ofSeconds(10));
    }

    private static double calls(String bulkhead, String result) {
        return Scrape.now().samples("redis_bulkhead_calls_total", "bulkhead", bulkhead, "result", result)
                .mapToDouble(Scrape.Sample::value).sum();
    }

    /** Synchronous, reactive, with a predicate of its own, with one that inherits its type, and one of several schedules. */
    @ParameterizedTest
    @ValueSource(strings = { "rare", "rare-uni", "on-workdays", "on-weekends", "twice" })
    void skipsARunWhenTheBulkheadIsFull(String job) {
        try (Permit taken = take(job)) {
            await().atMost(LONG).untilAsserted(() -> assertThat(events.skipped)
                    .anySatisfy(skip -> {
                        assertThat(skip.getExecution().getTrigger().getId()).startsWith(job);
                        assertThat(skip.getDetail()).startsWith("Bulkhead '" + job + "' is full");
                    }));
            await().atMost(LONG).until(() -> calls(job, "skipped") >= 1);
        }
        assertThat(events.failed).noneMatch(failure -> failure.getExecution().getTrigger().getId().startsWith(job));

        double before = calls(job, "accepted");
        await().atMost(LONG).until(() -> calls(job, "accepted") > before);
        await().atMost(LONG).until(() -> bulkheads.semaphore(job).status().inUse() == 0);
    }

    @Test
    void rejectsDirectCallsOfTheSameMethod() {
        try (Permit taken = take("rare"); Permit ofUni = take("rare-uni")) {
            assertThatThrownBy(jobs::rare).isInstanceOf(BulkheadFullException.class);
            assertThatThrownBy(() -> jobs.rareUni(null).await().atMost(LONG)).isInstanceOf(BulkheadFullException.class);
        }
    }

    @Test
    void runsFailIfConfigured() {
        try (Permit taken = take("explicit")) {
            await().atMost(LONG).untilAsserted(() -> assertThat(events.failed)
                    .anySatisfy(failure -> {
                        assertThat(failure.getExecution().getTrigger().getId()).isEqualTo("explicit");
                        assertThat(failure.getException()).hasCauseInstanceOf(BulkheadFullException.class);
                    }));
        }
        assertThat(events.skipped).noneMatch(skip -> skip.getExecution().getTrigger().getId().equals("explicit"));
    }

    @Test
    void skipsCallsIfConfigured() {
        double before = calls("cleanup", "skipped");
        try (Permit taken = take("cleanup")) {
            cleanup.now();
            assertThat(cleanup.later().await().atMost(LONG)).isNull();
            assertThat(cleanup.stage().toCompletableFuture()).succeedsWithin(LONG).isNull();
        }
        assertThat(cleanup.runs).hasValue(0);
        assertThat(calls("cleanup", "skipped")).isEqualTo(before + 3);

        cleanup.now();
        cleanup.later().await().atMost(LONG);
        assertThat(cleanup.stage().toCompletableFuture()).succeedsWithin(LONG);
        assertThat(cleanup.runs).hasValue(3);
        cleanup.runs.set(0);
    }

    /** A skipped call is not a failure. */
    @Test
    void faultToleranceSeesNoFailure() {
        double before = calls("cleanup", "skipped");
        try (Permit taken = take("cleanup")) {
            cleanup.withRetryAndFallback();
        }
        assertThat(cleanup.fallbacks).hasValue(0);
        assertThat(calls("cleanup", "skipped")).isEqualTo(before + 1);
    }

    @Test
    void rejectionByAnInnerBulkheadIsAFailure() {
        try (Permit taken = take("inner")) {
            assertThatThrownBy(() -> cleanup.outer()).isInstanceOf(BulkheadFullException.class)
                    .hasMessageContaining("'inner'");
        }
    }

    /** The scheduler goes on while the application waits for running executions. Its runs get no permit any more. */
    @Test
    @Order(Integer.MAX_VALUE)
    void runsAreSkippedWithoutAnErrorWhileTheApplicationStops() {
        await().atMost(LONG).until(() -> Set.copyOf(stopping.runs).size() == 6);
        try (CapturedLog log = new CapturedLog(SkippingGuard.class); CapturedLog late = new CapturedLog(TrackedRuns.class)) {
            new RedisBulkheadRecorder().shutdownListener().shutdown(() -> {
            });
            await().atMost(LONG).untilAsserted(() -> assertThat(log.texts()).contains(
                    "A scheduled run of StoppingJobs#skipping is skipped: the application is stopping",
                    "A scheduled run of StoppingJobs#rejecting is skipped: the application is stopping",
                    "A scheduled run of StoppingJobs#rejectingLater is skipped: the application is stopping"));
            for (String job : List.of("calling", "callingLater", "callingStage")) {
                await().atMost(LONG).untilAsserted(() -> assertThat(late.texts()).contains(
                        "A scheduled run of StoppingJobs#" + job + " got no permit and ended: the application is stopping"));
            }
            assertThat(Stream.of(log, late).flatMap(lines -> lines.records().stream())).allSatisfy(line -> {
                assertThat(line.getLevel()).isEqualTo(Level.INFO);
                assertThat(line.getThrown()).isNull();
            });
        }
        assertThat(events.failed).allMatch(failure -> failure.getExecution().getTrigger().getId().equals("explicit"));
    }

    @Singleton
    public static class Events {
        final Queue<SkippedExecution> skipped = new ConcurrentLinkedQueue<>();
        final Queue<FailedExecution> failed = new ConcurrentLinkedQueue<>();

        void on(@Observes SkippedExecution skip) {
            skipped.add(skip);
        }

        void on(@Observes FailedExecution failure) {
            failed.add(failure);
        }
    }

    @Singleton
    public static class Workdays implements Scheduled.SkipPredicate {
        @Override
        public boolean test(ScheduledExecution execution) {
            return false;
        }
    }

    interface Calendar extends Scheduled.SkipPredicate {
    }

    abstract static class Days implements Calendar {
        @Override
        public boolean test(ScheduledExecution execution) {
            return false;
        }
    }

    @Singleton
    static class Weekends extends Days {
    }

    @Singleton
    public static class Cleanup {
        final AtomicInteger runs = new AtomicInteger();
        final AtomicInteger fallbacks = new AtomicInteger();
        @Inject
        Jobs jobs;

        @RedisBulkhead(name = "cleanup", permits = 1)
        void now() {
            runs.incrementAndGet();
        }

        @RedisBulkhead(name = "cleanup", permits = 1)
        Uni<Void> later() {
            runs.incrementAndGet();
            return Uni.createFrom().voidItem();
        }

        @RedisBulkhead(name = "cleanup", permits = 1)
        CompletionStage<Void> stage() {
            runs.incrementAndGet();
            return CompletableFuture.completedStage(null);
        }

        @Retry(maxRetries = 3)
        @Fallback(fallbackMethod = "instead")
        @RedisBulkhead(name = "cleanup", permits = 1)
        void withRetryAndFallback() {
            runs.incrementAndGet();
        }

        void instead() {
            fallbacks.incrementAndGet();
        }

        @RedisBulkhead(name = "outer", permits = 1)
        void outer() {
            jobs.inner();
        }
    }

    public static class Jobs {
        @Scheduled(identity = "rare", every = "1s")
        @RedisBulkhead(name = "rare", permits = 1)
        void rare() {
        }

        @Scheduled(identity = "rare-uni", every = "1s")
        @RedisBulkhead(name = "rare-uni", permits = 1)
        Uni<Void> rareUni(ScheduledExecution execution) {
            return Uni.createFrom().voidItem();
        }

        @Scheduled(identity = "on-workdays", every = "1s", skipExecutionIf = Workdays.class)
        @RedisBulkhead(name = "on-workdays", permits = 1)
        void onWorkdays() {
        }

        @Scheduled(identity = "on-weekends", every = "1s", skipExecutionIf = Weekends.class)
        @RedisBulkhead(name = "on-weekends", permits = 1)
        void onWeekends() {
        }

        @Scheduled(identity = "twice-often", every = "1s")
        @Scheduled(identity = "twice-seldom", every = "24h")
        @RedisBulkhead(name = "twice", permits = 1)
        void twice() {
        }

        @Scheduled(identity = "explicit", every = "1s")
        @RedisBulkhead(name = "explicit", permits = 1)
        void explicit() {
        }

        @RedisBulkhead(name = "inner", permits = 1)
        void inner() {
        }
    }

    @Singleton
    static class StoppingJobs {
        final Queue<String> runs = new ConcurrentLinkedQueue<>();
        @Inject
        Reports reports;

        @Scheduled(every = "1s")
        @RedisBulkhead(name = "skipping", permits = 2)
        void skipping() {
            runs.add("skipping");
        }

        @Scheduled(every = "1s")
        @RedisBulkhead(name = "rejecting", permits = 2)
        void rejecting() {
            runs.add("rejecting");
        }

        @Scheduled(every = "1s")
        @RedisBulkhead(name = "rejecting-later", permits = 2)
        Uni<Void> rejectingLater() {
            runs.add("rejecting-later");
            return Uni.createFrom().voidItem();
        }

        @Scheduled(every = "1s")
        void calling() {
            reports.render();
            runs.add("calling");
        }

        @Scheduled(every = "1s")
        Uni<Void> callingLater() {
            return reports.renderLater().invoke(() -> runs.add("calling-later"));
        }

        @Scheduled(every = "1s")
        CompletionStage<Void> callingStage() {
            return reports.renderLater().invoke(() -> runs.add("calling-stage")).subscribeAsCompletionStage();
        }
    }

    @Singleton
    static class Reports {
        @RedisBulkhead(name = "reports", permits = 5)
        void render() {
        }

        @RedisBulkhead(name = "reports", permits = 5)
        Uni<Void> renderLater() {
            return Uni.createFrom().voidItem();
        }
    }
}
