package io.quarkiverse.redisbulkhead.runtime;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import io.quarkiverse.redisbulkhead.runtime.definition.Declarations;
import io.quarkus.arc.Arc;
import io.quarkus.arc.runtime.BeanContainer;
import io.quarkus.runtime.RuntimeValue;
import io.quarkus.runtime.annotations.Recorder;
import io.quarkus.runtime.shutdown.ShutdownListener;

/** Carries what the build found out into the application. */
@Recorder
public class RedisBulkheadRecorder {

    /**
     * Creates an empty slot for the declarations. Their bean is defined before they are known, because the container knows
     * which methods it intercepts only when all beans are defined.
     *
     * @return the slot
     */
    public RuntimeValue<AtomicReference<Declarations>> slot() {
        return new RuntimeValue<>(new AtomicReference<>());
    }

    /**
     * Supplies the declarations as a bean.
     *
     * @param slot holds them later
     * @return the supplier of the bean
     */
    public Supplier<Declarations> declarations(RuntimeValue<AtomicReference<Declarations>> slot) {
        return () -> slot.getValue().get();
    }

    /**
     * Fills the slot before the container starts.
     *
     * @param slot where their bean looks for them
     * @param declarations what the build found
     */
    public void found(RuntimeValue<AtomicReference<Declarations>> slot, Declarations declarations) {
        slot.getValue().set(declarations);
    }

    /**
     * Reads and checks the configuration, so that a wrong value stops the application at its start instead of at the first
     * call.
     *
     * @param beans the started container
     */
    public void start(BeanContainer beans) {
        beans.beanInstance(BulkheadRegistry.class);
    }

    /**
     * Refuses new calls when the application stops, and makes it wait for the executions in flight, up to
     * {@code quarkus.shutdown.timeout}.
     *
     * @return called when the application begins to stop
     */
    public ShutdownListener shutdownListener() {
        return new ShutdownListener() {

            // Not preShutdown: the application still serves until quarkus.shutdown.delay is over.
            @Override
            public void shutdown(ShutdownNotification notification) {
                BulkheadRuntime runtime = Arc.container().instance(BulkheadRuntime.class).get();
                runtime.stop().whenComplete((ended, none) -> notification.done());
            }
        };
    }
}
