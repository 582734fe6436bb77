package io.quarkiverse.redisbulkhead.entrypoints

import io.quarkiverse.redisbulkhead.RedisBulkhead
import io.quarkus.scheduler.FailedExecution
import io.quarkus.scheduler.Scheduled
import io.quarkus.scheduler.ScheduledExecution
import io.quarkus.scheduler.SkippedExecution
import io.quarkus.test.junit.QuarkusTest
import jakarta.enterprise.context.ApplicationScoped
import jakarta.enterprise.event.Observes
import jakarta.inject.Inject
import java.time.Duration
import java.time.Instant
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicInteger
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.Test

/** A full bulkhead skips runs of scheduled `suspend` functions, as those of other scheduled methods. */
@QuarkusTest
class ScheduledCoroutinesTest : EntryPointTestBase() {

    @Inject
    lateinit var jobs: Jobs

    @Test
    fun aRunThatFindsItsBulkheadFullIsSkipped() = skips("coroutine job", jobs.rounds)

    @Test
    fun alsoWithTheExecutionAsParameterAndAfterAWait() = skips("patient coroutine job", jobs.patientRounds)

    private fun skips(name: String, rounds: AtomicInteger) {
        val start: Instant
        bulkheads.semaphore(name).acquire(Duration.ofMinutes(1)).use {
            // Tests of other classes may have taken rights away before.
            start = Instant.now()
            await().atMost(60, TimeUnit.SECONDS).untilAsserted {
                assertThat(jobs.skipped).anySatisfy { skip ->
                    assertThat(skip.execution.trigger.id).isEqualTo(name)
                    assertThat(skip.detail).startsWith("Bulkhead '$name' is full")
                }
            }
        }
        val before = rounds.get()
        await().atMost(60, TimeUnit.SECONDS).until { rounds.get() > before }
        assertThat(jobs.failed).noneMatch { it.execution.trigger.id == name && it.execution.fireTime > start }
    }

    @ApplicationScoped
    open class Jobs {

        open val rounds = AtomicInteger()
        open val patientRounds = AtomicInteger()
        open val skipped = ConcurrentLinkedQueue<SkippedExecution>()
        open val failed = ConcurrentLinkedQueue<FailedExecution>()

        @Scheduled(identity = "coroutine job", every = "1s")
        @RedisBulkhead(name = "coroutine job", permits = 1)
        open suspend fun run() {
            yield()
            rounds.incrementAndGet()
        }

        @Scheduled(identity = "patient coroutine job", every = "1s")
        @RedisBulkhead(name = "patient coroutine job", permits = 1, maxWait = "50ms")
        open suspend fun runPatiently(execution: ScheduledExecution) {
            yield()
            patientRounds.incrementAndGet()
        }

        open fun skipped(@Observes event: SkippedExecution) {
            skipped += event
        }

        open fun failed(@Observes event: FailedExecution) {
            failed += event
        }
    }
}
