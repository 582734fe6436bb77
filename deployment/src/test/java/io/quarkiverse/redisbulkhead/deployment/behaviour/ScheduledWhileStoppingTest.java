package io.quarkiverse.redisbulkhead.deployment.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;

import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.jboss.logmanager.ExtLogRecord;
import org.jboss.logmanager.Level;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.deployment.CapturedLog;
import io.quarkiverse.redisbulkhead.deployment.OptionalExtensions;
import io.quarkiverse.redisbulkhead.runtime.RedisBulkheadRecorder;
import io.quarkiverse.redisbulkhead.runtime.guard.SkippingGuard;
import io.quarkiverse.redisbulkhead.runtime.scheduler.LateRuns;
import io.quarkus.scheduler.FailedExecution;
import io.quarkus.scheduler.Scheduled;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Uni;

/** The scheduler goes on while the application waits for running executions. Its runs get no permit any more. */
class ScheduledWhileStoppingTest {

    private static final Duration LONG = Duration.ofSeconds(30);

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .setForcedDependencies(OptionalExtensions.of(OptionalExtensions.SCHEDULER))
            .withApplicationRoot(jar -> jar.addClasses(OptionalExtensions.class, CapturedLog.class, Jobs.class, Reports.class))
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.command-timeout", "10s")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.\"rejecting\".on-full", "reject")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.\"rejecting-later\".on-full", "reject");

    @Inject
    Jobs jobs;

    @Test
    void runsAreSkippedWithoutAnError() {
        await().atMost(LONG).until(() -> Set.copyOf(jobs.runs).size() == 6);
        try (CapturedLog log = new CapturedLog(SkippingGuard.class); CapturedLog late = new CapturedLog(LateRuns.class)) {
            new RedisBulkheadRecorder().shutdownListener().shutdown(() -> {
            });
            await().atMost(LONG).untilAsserted(() -> assertThat(messages(log)).contains(
                    "A scheduled run of Jobs#skipping is skipped: the application is stopping",
                    "A scheduled run of Jobs#rejecting is skipped: the application is stopping",
                    "A scheduled run of Jobs#rejectingLater is skipped: the application is stopping"));
            for (String job : List.of("calling", "callingLater", "callingStage")) {
                await().atMost(LONG).untilAsserted(() -> assertThat(messages(late)).contains(
                        "A scheduled run of Jobs#" + job + " got no permit and ended: the application is stopping"));
            }
            assertThat(Stream.of(log, late).flatMap(lines -> lines.records().stream())).allSatisfy(line -> {
                assertThat(line.getLevel()).isEqualTo(Level.INFO);
                assertThat(line.getThrown()).isNull();
            });
        }
        assertThat(jobs.failed).isEmpty();
    }

    private static List<String> messages(CapturedLog log) {
        return log.records().stream().map(line -> ((ExtLogRecord) line).getFormattedMessage()).toList();
    }

    @Singleton
    static class Jobs {

        final Queue<String> runs = new ConcurrentLinkedQueue<>();
        final Queue<FailedExecution> failed = new ConcurrentLinkedQueue<>();

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

        @Inject
        Reports reports;

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

        void on(@Observes FailedExecution failure) {
            failed.add(failure);
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
