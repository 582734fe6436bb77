package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.RepeatedTest;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.OnOutage;
import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.CallRejectedException.Reason;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Engine.HolderIdentity;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.WaiterLimits.WaitsOn;
import io.quarkiverse.redisbulkhead.runtime.guard.BlockingWait;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.Failures;
import io.quarkiverse.redisbulkhead.runtime.store.InMemoryShareStore;
import io.quarkiverse.redisbulkhead.runtime.store.ObservedShareStore;
import io.quarkiverse.redisbulkhead.runtime.store.Position;
import io.quarkiverse.redisbulkhead.runtime.store.ShareStore;
import io.quarkiverse.redisbulkhead.runtime.store.Statement;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException.Kind;

/** Trap 41: calls are no longer counted after any outcome, and each fires its events in order. */
class WaiterLimitsUnderLoadTest {

    private static final int THREADS = 8;
    private static final int CALLS_PER_THREAD = 500;
    private static final int MOST_BLOCKED = 3;
    private static final int MOST_WAITERS = 4;

    /** Fails at random: lost statement, lost answer, outage or contention. */
    private static final class UnreliableStore extends ObservedShareStore {

        private UnreliableStore(ShareStore store) {
            super(store, (operation, time, failure) -> {
            });
        }

        @Override
        public synchronized CompletionStage<Position> sync(Statement statement) {
            return switch (ThreadLocalRandom.current().nextInt(20)) {
                case 0 -> CompletableFuture.failedStage(new StoreException(Kind.TRANSIENT, "lost"));
                case 1 -> CompletableFuture.failedStage(new StoreException(Kind.CONTENDED, "contended"));
                case 2 -> super.sync(statement).thenCompose(
                        position -> CompletableFuture.failedStage(new StoreException(Kind.TRANSIENT, "lost")));
                case 3 -> CompletableFuture.failedStage(new StoreException(Kind.AWAY, "away"));
                default -> super.sync(statement);
            };
        }
    }

    /** What may follow each event of a call. */
    private static final Map<String, Set<String>> NEXT = Map.of("called", Set.of("requested"), "requested",
            Set.of("waiting", "acquired", "rejected"), "waiting", Set.of("acquired", "rejected"), "acquired",
            Set.of("released"),
            "rejected", Set.of(), "released", Set.of());

    /** Records events that are out of order, and counts how many calls are in which state. */
    private static final class Events implements SemaphoreListener {

        private final ConcurrentLinkedQueue<String> outOfOrder = new ConcurrentLinkedQueue<>();
        private final Map<String, Integer> calls = new ConcurrentHashMap<>();

        @Override
        public void lost(PermitLost loss) {
            // Only on a machine that pauses.
        }

        @Override
        public CallListener onCall(BulkheadId bulkhead, String method, int weight) {
            AtomicReference<String> last = new AtomicReference<>("called");
            return (CallListener) Proxy.newProxyInstance(CallListener.class.getClassLoader(),
                    new Class<?>[] { CallListener.class }, (listener, event, arguments) -> {
                        String before = last.getAndSet(event.getName());
                        if (!NEXT.get(before).contains(event.getName())) {
                            outOfOrder.add(event.getName() + " after " + before);
                        }
                        calls.merge(before, -1, Integer::sum);
                        calls.merge(event.getName(), 1, Integer::sum);
                        return null;
                    });
        }

        private int calls(String state) {
            return calls.getOrDefault(state, 0);
        }
    }

    private final Events events = new Events();
    private final WaiterLimits waiting = new WaiterLimits(MOST_BLOCKED);
    private final RealTimers timers = new RealTimers();
    private final Engine engine = engine();
    private final AtomicInteger queueFull = new AtomicInteger();
    private final AtomicInteger granted = new AtomicInteger();
    private final ConcurrentLinkedQueue<Admission> all = new ConcurrentLinkedQueue<>();

    private Engine engine() {
        return new Engine("one", new UnreliableStore(new InMemoryShareStore(1).connect("one")), null, timers,
                new HolderIdentity("app", "host:1"), events, waiting, Duration.ofMillis(100));
    }

    @RepeatedTest(3)
    void noCallStaysCountedAfterRandomOutcomes() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<Future<?>> callers = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                Random random = new Random(i);
                callers.add(threads.submit(() -> {
                    for (int call = 0; call < CALLS_PER_THREAD; call++) {
                        call(random);
                    }
                }));
            }
            for (Future<?> caller : callers) {
                caller.get(60, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
        reachTheBound();
        engine.refuseAndRejectWaiters();
        await().atMost(Duration.ofSeconds(20)).until(
                () -> all.stream().allMatch(admission -> admission.granted().toCompletableFuture().isDone()));
        engine.close();

        // A caller sees its outcome a moment before its thread ends the execution.
        await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> {
            assertThat(waiting.isEmpty()).as("no call is still counted").isTrue();
            assertThat(events.calls("requested") + events.calls("waiting")).as("calls without an outcome").isZero();
            assertThat(events.calls("acquired")).as("unfinished executions").isZero();
        });
        assertThat(events.outOfOrder).isEmpty();
        assertThat(granted).as("calls that ran").hasPositiveValue();
        assertThat(queueFull).as("calls rejected at a bound").hasPositiveValue();
    }

    private void call(Random random) {
        SemaphoreSpec.Builder spec = SemaphoreSpec.named("bulkhead-" + random.nextInt(2)).permits(1).fair(random.nextBoolean())
                .maxWait(Duration.ofMillis(random.nextInt(5))).onOutage(OnOutage.values()[random.nextInt(3)]);
        if (random.nextBoolean()) {
            spec.maxWaiters(MOST_WAITERS);
        }
        Semaphore semaphore = new Semaphore(engine, spec.build(), true).forKey("key-" + random.nextInt(2), OptionalInt.empty());
        Admission admission = semaphore.admit("A#a", WaitsOn.values()[random.nextInt(2)]);
        all.add(admission);
        assertThat(waiting.blockedThreads()).isBetween(0, MOST_BLOCKED);
        switch (random.nextInt(4)) {
            case 0 -> admission.end();
            case 1 -> {
                // An interrupted caller does not wait.
                Thread.currentThread().interrupt();
                awaitPermit(admission);
                Thread.interrupted();
            }
            case 2 -> admission.granted().whenComplete((permits, rejection) -> admission.end());
            default -> awaitPermit(admission);
        }
    }

    // On a busy machine, random calls may never reach the bound.
    private void reachTheBound() {
        SemaphoreSpec spec = SemaphoreSpec.named("bound").permits(1).maxWait(Duration.ofSeconds(30)).maxWaiters(MOST_WAITERS)
                .onOutage(OnOutage.LOCAL).build();
        Semaphore semaphore = new Semaphore(engine, spec, true).forKey("key", OptionalInt.empty());
        List<Admission> crowd = new ArrayList<>();
        while (queueFull.get() == 0) {
            Admission admission = semaphore.admit("A#a");
            crowd.add(admission);
            all.add(admission);
            admission.granted().whenComplete((permits, rejection) -> {
                if (rejection != null && isQueueFull(Failures.cause(rejection))) {
                    queueFull.incrementAndGet();
                }
            });
        }
        crowd.forEach(Admission::end);
    }

    private static boolean isQueueFull(Throwable rejection) {
        return rejection instanceof BulkheadFullException full && CallRejectedException.reasonOf(full) == Reason.QUEUE_FULL;
    }

    private void awaitPermit(Admission admission) {
        try {
            BlockingWait.untilHeld("any", admission);
            granted.incrementAndGet();
        } catch (RuntimeException rejection) {
            if (isQueueFull(rejection)) {
                queueFull.incrementAndGet();
            }
        } finally {
            BlockingWait.awaitUninterruptibly(admission.end());
        }
    }
}
