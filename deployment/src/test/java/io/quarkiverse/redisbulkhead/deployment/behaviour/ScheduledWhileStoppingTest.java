package io.quarkiverse.redisbulkhead.deployment.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;

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
            .withApplicationRoot(jar -> jar.addClasses(OptionalExtensions.class, CapturedLog.class, Jobs.class))
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.command-timeout", "10s")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.\"rejecting\".on-full", "reject")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.\"rejecting-later\".on-full", "reject");

    @Inject
    Jobs jobs;

    @Test
    void runsAreSkippedWithoutAnError() {
        await().atMost(LONG).until(() -> Set.copyOf(jobs.runs).size() == 3);
        try (CapturedLog log = new CapturedLog(SkippingGuard.class)) {
            new RedisBulkheadRecorder().shutdownListener().shutdown(() -> {
            });
            await().atMost(LONG).untilAsserted(() -> assertThat(messages(log)).contains(
                    "A scheduled run of Jobs#skipping is skipped: the application is stopping",
                    "A scheduled run of Jobs#rejecting is skipped: the application is stopping",
                    "A scheduled run of Jobs#rejectingLater is skipped: the application is stopping"));
            assertThat(log.records()).allSatisfy(line -> {
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

        void on(@Observes FailedExecution failure) {
            failed.add(failure);
        }
    }
}
