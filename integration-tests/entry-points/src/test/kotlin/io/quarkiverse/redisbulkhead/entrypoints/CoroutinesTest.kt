package io.quarkiverse.redisbulkhead.entrypoints

import io.quarkiverse.redisbulkhead.BulkheadCall
import io.quarkiverse.redisbulkhead.BulkheadFullException
import io.quarkiverse.redisbulkhead.BulkheadKey
import io.quarkiverse.redisbulkhead.BulkheadKeyResolver
import io.quarkiverse.redisbulkhead.PermitLostException
import io.quarkiverse.redisbulkhead.RedisBulkhead
import io.quarkiverse.redisbulkhead.ResolvedKey
import io.quarkiverse.redisbulkhead.runtime.guard.UnfinishedResults
import io.quarkiverse.redisbulkhead.testredis.CapturedLog
import io.quarkus.test.junit.QuarkusTest
import jakarta.enterprise.context.ApplicationScoped
import jakarta.inject.Inject
import jakarta.inject.Singleton
import jakarta.ws.rs.GET
import jakarta.ws.rs.Path
import java.util.concurrent.CopyOnWriteArrayList
import java.util.concurrent.Executors
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.asCoroutineDispatcher
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.ensureActive
import kotlinx.coroutines.future.await
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.supervisorScope
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.BeforeEach
import org.junit.jupiter.api.Test

/** Kotlin `suspend` functions. The permit is held until the function has ended, however often it suspends. */
@QuarkusTest
class CoroutinesTest : EntryPointTestBase() {

    @Inject
    lateinit var service: Service

    @BeforeEach
    fun prepare() {
        service.end = CompletableDeferred()
        service.begun.clear()
    }

    /** Trap 14, for coroutines: one acquire and one release per call. */
    @Test
    fun thePermitIsHeldWhileTheFunctionIsSuspended() = limited {
        val first = async { service.suspending("first") }
        awaitBegun(1)

        assertThat(holders("coroutines")).containsExactly("Service#suspending")
        assertThat(rejection { service.suspending("second") }).isInstanceOf(BulkheadFullException::class.java)
        service.end.complete(Unit)

        assertThat(first.await()).isEqualTo("first")
        assertThat(holders("coroutines")).isEmpty()
        assertThat(service.suspending("third")).isEqualTo("third")
        assertThat(service.begun).containsExactly("first", "third")
    }

    @Test
    fun functionsThatDoNotSuspendReturnAtOnce() = limited {
        assertThat(service.immediate("now")).isEqualTo("now")
        assertThat(holders("coroutines")).isEmpty()
    }

    @Test
    fun unfinishedResultIsLogged() = limited {
        CapturedLog(UnfinishedResults::class.java).use {
            service.lazy()
            assertThat(it.texts()).singleElement().asString().startsWith("Service#lazy returned Sequence, whose work is not done")
        }
    }

    /** Trap 16. */
    @Test
    fun failuresReachTheCallerAndReleaseThePermit() = limited {
        assertThat(rejection { service.failing(false) }).isInstanceOf(IllegalStateException::class.java).hasMessage("at once")
        assertThat(rejection { service.failing(true) }).isInstanceOf(IllegalStateException::class.java).hasMessage("later")
        assertThat(holders("coroutines")).isEmpty()
    }

    /** Trap 15: the only thread of the dispatcher is free while a call waits. Trap 30: the call continues there. */
    @Test
    fun aCallThatWaitsBlocksNoThreadAndContinuesOnItsDispatcher() {
        val pool = Executors.newSingleThreadExecutor { task -> Thread(task, "only-thread") }
        try {
            runBlocking(pool.asCoroutineDispatcher()) {
                withTimeout(60_000) {
                    val first = async { service.patient("first") }
                    awaitBegun(1)
                    val second = async { service.patient("second").also { assertThat(Thread.currentThread().name).startsWith("only-thread") } }
                    while (bulkheads.semaphore("patient coroutines").waiters().isEmpty()) {
                        yield()
                    }
                    service.end.complete(Unit)

                    assertThat(first.await()).startsWith("first on only-thread")
                    assertThat(second.await()).startsWith("second on only-thread")
                }
            }
        } finally {
            pool.shutdown()
        }
    }

    /** Trap 9. */
    @Test
    fun aCallThatIsCancelledWhileItWaitsLeavesNoWaiter() = limited {
        val first = async { service.patient("first") }
        awaitBegun(1)
        val second = launch { service.patient("second") }
        awaitWaiter("patient coroutines")

        second.cancelAndJoin()

        while (bulkheads.semaphore("patient coroutines").waiters().isNotEmpty()) {
            yield()
        }
        service.end.complete(Unit)
        first.await()
        assertThat(service.begun).containsExactly("first")
    }

    @Test
    fun aCancelledFunctionKeepsItsPermitUntilItHasEnded() = limited {
        val running = launch { service.slowToStop() }
        awaitBegun(1)
        running.cancel()
        awaitBegun(2)

        assertThat(holders("coroutines")).containsExactly("Service#slowToStop")
        assertThat(running.isCompleted).isFalse()
        service.end.complete(Unit)

        running.join()
        awaitNoHolder("coroutines")
    }

    @Test
    fun keysComeFromParametersAndResolvers() = limited {
        val first = async { service.keyed("a") }
        awaitBegun(1)

        assertThat(rejection { service.keyed("a") }).isInstanceOf(BulkheadFullException::class.java)
        assertThat(service.resolved("b")).isEqualTo("[b]")
        assertThat(bulkheads.semaphore("keyed coroutines").forKey("a").holders()).hasSize(1)
        service.end.complete(Unit)
        first.await()
        assertThat(bulkheads.semaphore("keyed coroutines").forKey("a").holders()).isEmpty()
    }

    @Test
    fun resourcesInRest() = isLimited("coroutine", "Endpoint#call", "event loop")

    /** on-lost=interrupt cancels the function, and its caller gets the loss. */
    @Test
    fun aLostPermitCancelsTheFunction() = limited {
        supervisorScope {
            val running = async { service.untilLost() }
            awaitBegun(1)
            val semaphore = bulkheads.semaphore("interrupted-coroutines")
            semaphore.revoke(semaphore.holders().single().permitId())

            assertThat(rejection { running.await() }).isInstanceOf(PermitLostException::class.java)
        }
        currentCoroutineContext().ensureActive()
    }

    private fun limited(test: suspend kotlinx.coroutines.CoroutineScope.() -> Unit) = runBlocking(Dispatchers.Default) {
        try {
            withTimeout(60_000) { test() }
        } finally {
            // Else a failed test waits for its coroutines.
            service.end.complete(Unit)
        }
    }

    private suspend fun awaitBegun(calls: Int) {
        while (service.begun.size < calls) {
            yield()
        }
    }

    private suspend fun rejection(call: suspend () -> Any?): Throwable? = try {
        call()
        null
    } catch (e: Exception) {
        e
    }

    @ApplicationScoped
    open class Service {

        open val begun = CopyOnWriteArrayList<String>()

        @Volatile
        open var end = CompletableDeferred<Unit>()

        @RedisBulkhead(name = "coroutines", permits = 1)
        open suspend fun suspending(text: String): String = waiting(text)

        @RedisBulkhead(name = "coroutines", permits = 1)
        open suspend fun immediate(text: String): String = text

        @RedisBulkhead(name = "coroutines", permits = 1)
        open suspend fun lazy(): Any = sequenceOf("later")

        @RedisBulkhead(name = "coroutines", permits = 1)
        open suspend fun failing(later: Boolean) {
            check(later) { "at once" }
            yield()
            error("later")
        }

        @RedisBulkhead(name = "patient coroutines", permits = 1, maxWait = "50s")
        open suspend fun patient(text: String): String = waiting(text) + " on " + Thread.currentThread().name

        @RedisBulkhead(name = "coroutines", permits = 1)
        open suspend fun slowToStop() {
            begun += "slow"
            try {
                awaitCancellation()
            } finally {
                begun += "stopping"
                withContext(NonCancellable) { end.await() }
            }
        }

        @RedisBulkhead(name = "keyed coroutines", permits = 1)
        open suspend fun keyed(@BulkheadKey key: String): String = waiting(key)

        @RedisBulkhead(name = "keyed by a resolver", permits = 1, keyResolver = Arguments::class)
        open suspend fun resolved(key: String): String {
            yield()
            return Arguments.seen
        }

        @RedisBulkhead(name = "interrupted-coroutines", permits = 1)
        open suspend fun untilLost() {
            begun += "until lost"
            awaitCancellation()
        }

        private suspend fun waiting(text: String): String {
            begun += text
            end.await()
            return text
        }
    }

    @Path("rest/coroutine")
    open class Endpoint(private val gate: Gate) {

        @GET
        @RedisBulkhead(name = "coroutine", permits = 2)
        open suspend fun call(): String = gate.passLater().subscribeAsCompletionStage().await()
    }

    @Singleton
    open class Arguments : BulkheadKeyResolver {

        override fun resolve(call: BulkheadCall): ResolvedKey {
            seen = call.arguments().toString()
            return ResolvedKey.of("key")
        }

        companion object {
            @Volatile
            var seen = ""
        }
    }
}
