package io.quarkiverse.redisbulkhead.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import jakarta.enterprise.event.Event;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.runtime.BulkheadRuntime.PermitLostEvents;
import io.quarkiverse.redisbulkhead.runtime.store.redis.LoggedWarnings;

class PermitLostEventsTest {

    private final List<String> calls = new ArrayList<>();

    /** The worker thread may fire the event when the container is gone, as in this test. */
    @Test
    void lossThatIsReportedAfterTheEndOfTheApplicationIsNoError() {
        try (LoggedWarnings log = new LoggedWarnings(PermitLostEvents.class)) {
            new PermitLostEvents(stopped(), Runnable::run)
                    .lost(new PermitLost("reports", Optional.empty(), "1", 1, "Reports#render", PermitLost.Reason.STOPPED));

            assertThat(calls).containsExactly("fireAsync");
            assertThat(log.texts()).isEmpty();
        }
    }

    @SuppressWarnings("unchecked")
    private Event<PermitLost> stopped() {
        return (Event<PermitLost>) Proxy.newProxyInstance(Event.class.getClassLoader(), new Class<?>[] { Event.class },
                (proxy, method, arguments) -> {
                    calls.add(method.getName());
                    throw new IllegalStateException("ArC container not initialized");
                });
    }
}
