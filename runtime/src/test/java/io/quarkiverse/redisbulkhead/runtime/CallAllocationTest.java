package io.quarkiverse.redisbulkhead.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Function;

import jakarta.interceptor.InvocationContext;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import com.sun.management.ThreadMXBean;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.BulkheadRuntime.PermitLostEvents;
import io.quarkiverse.redisbulkhead.runtime.RedisBulkheadInterceptor.GuardedMethod;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Engine;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Engine.HolderIdentity;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Executions;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.PermitLogger;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Semaphore;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Timers;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.WaiterLimits;
import io.quarkiverse.redisbulkhead.runtime.definition.Annotated;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.BulkheadUse;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.KeyOrigin;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.MethodDeclaration;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.ReturnKind;
import io.quarkiverse.redisbulkhead.runtime.guard.AsyncGuard;
import io.quarkiverse.redisbulkhead.runtime.guard.Continuations;
import io.quarkiverse.redisbulkhead.runtime.guard.Guard;
import io.quarkiverse.redisbulkhead.runtime.guard.SynchronousGuard;
import io.quarkus.runtime.BlockingOperationControl;
import io.quarkus.runtime.IOThreadDetector;
import io.smallrye.mutiny.Uni;

/**
 * What a guarded call allocates with the local store, without the container's interception: independent of the machine. The
 * bounds are for the C1 compiler, which removes no allocations.
 */
class CallAllocationTest {

    private static final int CALLS = 1_000;
    private static final int ROUNDS = 20;
    private static final Object[] ARGUMENTS = { "acme" };

    private final Engine engine = new Engine("one", new Untimed(), new HolderIdentity("app", "host:1"),
            new PermitLogger(), new WaiterLimits(0));
    private final Continuations continuations = new Continuations(0);

    @BeforeEach
    void threadsMayBlock() {
        engine.listen(new PermitLostEvents(null, Runnable::run));
        BlockingOperationControl.setIoThreadDetector(new IOThreadDetector[0]);
    }

    @AfterEach
    void close() {
        engine.close();
        continuations.close();
    }

    @Test
    void synchronousCallAllocatesLittle() throws Exception {
        GuardedMethod method = guarded(new SynchronousGuard("Work#run", "work"), semaphore("work"));
        Invocation invocation = new Invocation(() -> null);
        assertThat(bytesOf(() -> method.call(invocation))).isLessThanOrEqualTo(144);
    }

    @Test
    void callWithAKeyAllocatesLittle() throws Exception {
        BulkheadUse use = new BulkheadUse(Annotated.bulkhead("Work#run", "work", 1, 1, null, null, null),
                new KeyOrigin.Parameter(0, "tenant"), BulkheadUse.NO_PARAMETER);
        Function<Object[], Semaphore> ofKey = GuardedMethods.byArguments(semaphore("work"), use,
                new MethodDeclaration("Work", "run", List.of("String"), ReturnKind.SYNCHRONOUS, false, "Work#run", "Work#run",
                        List.of(use)));
        GuardedMethod method = new GuardedMethod("Work#run", new SynchronousGuard("Work#run", "work"),
                arguments -> List.of(ofKey.apply(arguments)), new Executions(), null);
        Invocation invocation = new Invocation(() -> null);
        assertThat(bytesOf(() -> method.call(invocation))).isLessThanOrEqualTo(384);
    }

    @Test
    void callWithTwoBulkheadsAllocatesLittle() throws Exception {
        GuardedMethod method = guarded(new SynchronousGuard("Work#run", "work"), semaphore("work"), semaphore("other"));
        Invocation invocation = new Invocation(() -> null);
        assertThat(bytesOf(() -> method.call(invocation))).isLessThanOrEqualTo(1_280);
    }

    @Test
    void uniCallAllocatesLittle() throws Exception {
        Uni<Object> item = Uni.createFrom().nullItem();
        GuardedMethod method = guarded(new AsyncGuard("work", continuations)::uni, semaphore("work"));
        Invocation invocation = new Invocation(() -> item);
        assertThat(bytesOf(() -> ((Uni<?>) method.call(invocation)).subscribe().with(done -> {
        }))).isLessThanOrEqualTo(376);
    }

    private GuardedMethod guarded(Guard guard, Semaphore... semaphores) {
        List<Semaphore> all = List.of(semaphores);
        return new GuardedMethod("Work#run", guard, arguments -> all, new Executions(), null);
    }

    private Semaphore semaphore(String name) {
        return new Semaphore(engine, SemaphoreSpec.named(name).permits(10).build(), true);
    }

    /** The minimum of several rounds, because other rounds include class loading and compilation. */
    private static long bytesOf(Callable<?> call) throws Exception {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        for (int round = 0; round < ROUNDS; round++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < CALLS; i++) {
                call.call();
            }
            least = Math.min(least, (threads.getCurrentThreadAllocatedBytes() - before) / CALLS);
        }
        return least;
    }

    /** Runs no tasks, so no lease ends. */
    private static final class Untimed implements Timers {

        @Override
        public long nanoTime() {
            return System.nanoTime();
        }

        @Override
        public Planned after(Duration delay, Runnable task) {
            return () -> {
            };
        }
    }

    private record Invocation(Callable<Object> method) implements InvocationContext {

        @Override
        public Object proceed() throws Exception {
            return method.call();
        }

        @Override
        public Object getTarget() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Object getTimer() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Method getMethod() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Constructor<?> getConstructor() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Object[] getParameters() {
            return ARGUMENTS;
        }

        @Override
        public void setParameters(Object[] parameters) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Map<String, Object> getContextData() {
            return Map.of();
        }
    }
}
