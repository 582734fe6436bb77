package io.quarkiverse.redisbulkhead.deployment.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.CurrentPermit;
import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.LockSpec;
import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.PermitGoneException;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.RedisLock;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.testredis.Caller;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.shutdown.ShutdownRecorder;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.test.UniAssertSubscriber;
import io.smallrye.mutiny.subscription.Cancellable;
import io.vertx.core.Context;
import io.vertx.core.Vertx;

/**
 * Trap 9: cancels every asynchronous method of the public API at every step. Nothing is held, waits or is in flight afterwards.
 * The leases are so long that their end cannot be what frees a permit.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class CancellationTest {

    static final KillableRedis REDIS = new KillableRedis("CancellationTest");

    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration LEASE = Duration.ofMinutes(30);
    private static final int RACES = 30;

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(KillableRedis.class))
            .setBeforeAllCustomizer(REDIS::start).setAfterAllCustomizer(REDIS::stop)
            .overrideConfigKey("quarkus.redis.hosts", REDIS.address())
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.command-timeout", "30s");

    @Inject
    RedisBulkheads bulkheads;

    @Inject
    Event<ShutdownEvent> shutdownEvents;

    // Its event loops belong to the callers only: the test blocks them.
    Vertx callers;
    final AtomicInteger names = new AtomicInteger();

    @BeforeEach
    void start() {
        callers = Vertx.vertx();
    }

    @AfterEach
    void stop() {
        callers.close().toCompletionStage().toCompletableFuture().join();
    }

    // ---- The methods

    private enum Needs {
        NOTHING,
        /** A permit that is held. */
        PERMIT,
        /** The token of a permit that was detached. */
        TOKEN
    }

    /** A method of {@link Permit}, {@link RedisSemaphore} or {@link RedisLock}. */
    private record AsyncMethod(Method method) {

        boolean ofLocks() {
            return method.getDeclaringClass() == RedisLock.class;
        }

        Needs needs() {
            if (method.getName().equals("attachAsync")) {
                return Needs.TOKEN;
            }
            return waits() || method.getName().startsWith("try") ? Needs.NOTHING : Needs.PERMIT;
        }

        /** Whether it waits until a permit is free. */
        boolean waits() {
            return runs() || takes(Duration.class) || method.getName().equals("lockAsync");
        }

        /** Whether it runs an action while it holds a permit. */
        boolean runs() {
            return takes(Supplier.class);
        }

        private boolean takes(Class<?> type) {
            return List.of(method.getParameterTypes()).contains(type);
        }

        Uni<?> call(Subject on) {
            Object permitOrSemaphore = method.getDeclaringClass() == Permit.class ? on.permit : on.semaphore;
            Object[] arguments = Stream.of(method.getParameterTypes()).map(type -> argument(type, on)).toArray();
            try {
                return (Uni<?>) method.invoke(ofLocks() ? on.lock : permitOrSemaphore, arguments);
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }

        private Object argument(Class<?> type, Subject on) {
            if (type == Duration.class) {
                return LONG;
            }
            if (type == int.class) {
                return 1;
            }
            if (type == Supplier.class) {
                return on.action;
            }
            return needs() == Needs.TOKEN ? on.token : on.permit.id();
        }
    }

    /** Those of all public types that can be reached from what applications inject. */
    private static List<AsyncMethod> methods() {
        Set<Class<?>> seen = new HashSet<>(List.of(RedisBulkheads.class, CurrentPermit.class));
        Deque<Class<?>> types = new ArrayDeque<>(seen);
        List<AsyncMethod> found = new ArrayList<>();
        while (!types.isEmpty()) {
            for (Method method : types.pop().getMethods()) {
                classesIn(method.getGenericReturnType()).filter(type -> type.getPackage() == RedisBulkheads.class.getPackage())
                        .filter(seen::add).forEach(types::add);
                if (Stream.of(Uni.class, Flow.Publisher.class, CompletionStage.class, Future.class)
                        .anyMatch(async -> async.isAssignableFrom(method.getReturnType()))) {
                    found.add(new AsyncMethod(method));
                }
            }
        }
        assertThat(found).hasSizeGreaterThan(25);
        return found;
    }

    private static Stream<Class<?>> classesIn(Type type) {
        if (type instanceof ParameterizedType generic) {
            return Stream.concat(classesIn(generic.getRawType()),
                    Arrays.stream(generic.getActualTypeArguments()).flatMap(CancellationTest::classesIn));
        }
        return type instanceof Class<?> named ? Stream.of(named) : Stream.empty();
    }

    // ---- What they are called on

    /** A bulkhead with one permit, or a lock. */
    private static final class Subject {

        private final RedisSemaphore semaphore;
        private final RedisLock lock;

        /** What is emitted, and is to be released by the caller. */
        final Queue<Object> received = new ConcurrentLinkedQueue<>();
        /** Of methods that run an action. */
        Supplier<Uni<Object>> action = () -> Uni.createFrom().item("done");
        Permit permit;
        String token;

        /** One of them is null. */
        private Subject(RedisSemaphore semaphore, RedisLock lock) {
            this.semaphore = semaphore;
            this.lock = lock;
        }

        Permit take() {
            return lock == null ? semaphore.acquire(LONG) : lock.lock();
        }

        Optional<Permit> tryToTake() {
            return lock == null ? semaphore.tryAcquire() : lock.tryLock();
        }

        Permit attach(String detached) {
            return lock == null ? semaphore.attach(detached) : lock.attach(detached);
        }

        List<Holder> holders() {
            return lock == null ? semaphore.holders() : lock.owner().stream().toList();
        }

        int waiting() {
            return lock == null ? semaphore.status().waiting() : lock.waiters().size();
        }

        void prepare(Needs needs) {
            permit = needs == Needs.NOTHING ? null : take();
            token = needs == Needs.TOKEN ? permit.detach() : null;
        }

        /** What a caller would do who still has what is needed for it. */
        void cleanUp() {
            for (Object item = received.poll(); item != null; item = received.poll()) {
                Object content = item instanceof Optional<?> optional ? optional.orElse(null) : item;
                if (content instanceof Permit acquired) {
                    acquired.close();
                } else if (content instanceof String detached && permit != null && !permit.isHeld()) {
                    closeDetached(detached);
                }
            }
            if (token != null) {
                closeDetached(token);
            } else if (permit != null) {
                permit.close();
            }
        }

        private void closeDetached(String detached) {
            try {
                attach(detached).close();
            } catch (PermitGoneException e) {
                // The method under test has attached it.
            }
        }

        void assertNothingIsLeft() {
            await().atMost(LONG).untilAsserted(() -> {
                assertThat(holders()).as("holders").isEmpty();
                assertThat(waiting()).as("waiting").isZero();
            });
            assertThat(tryToTake()).as("the permit").hasValueSatisfying(Permit::close);
        }
    }

    private Subject subject(AsyncMethod method) {
        String name = "cancelled-" + names.incrementAndGet();
        return method.ofLocks()
                ? new Subject(null, bulkheads.lock(LockSpec.named(name).lockTimeout(LEASE).acquireTimeout(LONG).build()))
                : new Subject(bulkheads.semaphore(SemaphoreSpec.named(name).permits(1).expire(LEASE).maxWait(LONG).build()),
                        null);
    }

    // ---- The steps

    private interface Step {

        /** Calls the method and cancels it. */
        void cancel(AsyncMethod method, Subject subject) throws Exception;
    }

    private void eachMethod(Predicate<AsyncMethod> applies, Step step) throws Exception {
        for (AsyncMethod method : methods().stream().filter(applies).toList()) {
            Subject subject = subject(method);
            try {
                subject.prepare(method.needs());
                step.cancel(method, subject);
                subject.cleanUp();
                subject.assertNothingIsLeft();
            } catch (Exception | AssertionError e) {
                throw new AssertionError("After the cancellation of " + method + ": " + e.getMessage(), e);
            }
        }
    }

    /** A call on an event loop of a caller. */
    private final class EventLoopCall {

        private final CompletableFuture<Cancellable> subscribed = new CompletableFuture<>();
        private final CompletableFuture<Void> ended = new CompletableFuture<>();
        private final CountDownLatch unblock = new CountDownLatch(1);
        private final Context context = callers.getOrCreateContext();

        /**
         * @param blocks whether the event loop is blocked after the subscription, so that the answer cannot be emitted
         */
        private EventLoopCall(AsyncMethod method, Subject subject, boolean blocks) {
            context.runOnContext(here -> {
                try {
                    subscribed.complete(method.call(subject).subscribe().with(item -> {
                        subject.received.add(item == null ? "nothing" : item);
                        ended.complete(null);
                    }, ended::completeExceptionally));
                    if (blocks) {
                        assertThat(unblock.await(60, TimeUnit.SECONDS)).isTrue();
                    }
                } catch (Throwable e) {
                    subscribed.completeExceptionally(e);
                    ended.completeExceptionally(e);
                }
            });
        }

        void cancel() throws Exception {
            subscribed().cancel();
        }

        /** The answer is there, but is not emitted any more. */
        void cancelWhileBlocked() throws Exception {
            cancel();
            unblock.countDown();
            settle();
        }

        Cancellable subscribed() throws Exception {
            return subscribed.get(60, TimeUnit.SECONDS);
        }

        void end() throws Exception {
            ended.get(60, TimeUnit.SECONDS);
        }

        /** What was being emitted has been received. */
        void settle() throws Exception {
            CompletableFuture<Void> settled = new CompletableFuture<>();
            context.runOnContext(here -> settled.complete(null));
            settled.get(60, TimeUnit.SECONDS);
        }
    }

    private static void assertNothingReceived(Subject subject) {
        assertThat(subject.received).as("emitted in spite of the cancellation").isEmpty();
    }

    @Test
    void atTheSubscription() throws Exception {
        eachMethod(any -> true, (method, subject) -> {
            UniAssertSubscriber<Object> cancelled = new UniAssertSubscriber<>(true);
            method.call(subject).subscribe().withSubscriber(cancelled);
            cancelled.assertNotTerminated();
        });
    }

    /** Redis stands still, so it has not executed the request yet. */
    @Test
    void whileTheRequestIsInFlight() throws Exception {
        eachMethod(any -> true, (method, subject) -> {
            try (AutoCloseable frozen = REDIS.freeze()) {
                new EventLoopCall(method, subject, false).cancel();
            }
            // Redis answers in order.
            subject.holders();
            assertNothingReceived(subject);
        });
    }

    /** The caller's event loop is too busy to emit the answer. */
    @Test
    void whenTheAnswerHasArrived() throws Exception {
        eachMethod(any -> true, (method, subject) -> {
            EventLoopCall call;
            // Otherwise the answer may have come before the event loop is blocked.
            try (AutoCloseable frozen = REDIS.freeze()) {
                call = new EventLoopCall(method, subject, true);
                call.subscribed();
            }
            // Redis answers in order.
            subject.holders();
            call.cancelWhileBlocked();
            assertNothingReceived(subject);
        });
    }

    @Test
    void afterCompletion() throws Exception {
        eachMethod(any -> true, (method, subject) -> {
            EventLoopCall call = new EventLoopCall(method, subject, false);
            call.end();
            Permit acquired = subject.received.stream().map(item -> item instanceof Optional<?> o ? o.orElse(null) : item)
                    .filter(Permit.class::isInstance).map(Permit.class::cast).findFirst().orElse(null);

            call.cancel();

            assertThat(subject.received).hasSize(1);
            if (acquired != null) {
                assertThat(acquired.refresh()).as("a permit that has reached its caller is held").isTrue();
            }
        });
    }

    @Test
    void whileItWaits() throws Exception {
        eachMethod(AsyncMethod::waits, (method, subject) -> {
            try (Permit holder = subject.take()) {
                EventLoopCall call = new EventLoopCall(method, subject, false);
                await().atMost(LONG).until(() -> subject.waiting() == 1);
                call.cancel();
                await().atMost(LONG).until(() -> subject.waiting() == 0);
                assertThat(holder.isHeld()).isTrue();
            }
            assertNothingReceived(subject);
        });
    }

    /** The permit was handed over, and the caller's event loop is too busy to emit it. */
    @Test
    void whenItWasHandedThePermit() throws Exception {
        eachMethod(AsyncMethod::waits, (method, subject) -> {
            EventLoopCall call;
            try (Permit holder = subject.take()) {
                call = new EventLoopCall(method, subject, true);
                await().atMost(LONG).until(() -> subject.waiting() == 1);
            }
            await().atMost(LONG).until(() -> subject.waiting() == 0 && subject.holders().size() == 1);
            call.cancelWhileBlocked();
            assertNothingReceived(subject);
        });
    }

    @Test
    void whileItRuns() throws Exception {
        eachMethod(AsyncMethod::runs, (method, subject) -> {
            CountDownLatch started = new CountDownLatch(1);
            CountDownLatch cancelled = new CountDownLatch(1);
            subject.action = () -> Uni.createFrom().emitter(running -> {
                running.onTermination(cancelled::countDown);
                started.countDown();
            });
            EventLoopCall call = new EventLoopCall(method, subject, false);
            assertThat(started.await(60, TimeUnit.SECONDS)).isTrue();
            assertThat(subject.holders()).hasSize(1);
            call.cancel();
            assertThat(cancelled.await(60, TimeUnit.SECONDS)).as("the action is cancelled").isTrue();
            assertNothingReceived(subject);
        });
    }

    /** At any moment between the request and its answer, by chance. */
    @Test
    void atAnyMoment() throws Exception {
        eachMethod(any -> true, (method, subject) -> {
            for (int race = 0; race < RACES; race++) {
                if (race > 0) {
                    subject.cleanUp();
                    subject.prepare(method.needs());
                }
                EventLoopCall call = new EventLoopCall(method, subject, false);
                Cancellable subscription = call.subscribed();
                // From none to several times what a call takes.
                long until = System.nanoTime() + 20_000L * race;
                while (System.nanoTime() < until) {
                    Thread.onSpinWait();
                }
                subscription.cancel();
                call.settle();
            }
        });
    }

    /** What a method has begun is over, also if it was cancelled: otherwise the application could not stop. */
    @Test
    @Order(Integer.MAX_VALUE)
    void applicationStops() throws Exception {
        Caller.of(() -> {
            ShutdownRecorder.runShutdown();
            shutdownEvents.fire(new ShutdownEvent());
            return null;
        }).result();
    }
}
