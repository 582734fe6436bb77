package io.quarkiverse.redisbulkhead.runtime.health;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;

import org.junit.jupiter.api.Test;

class HealthRecorderTest {

    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(1);
    private static final Duration SLOWER = Duration.ofSeconds(10);

    @Test
    void harmlessCheckCausesNoWarning() {
        assertThat(warning(COMMAND_TIMEOUT, false)).isEmpty();
    }

    @Test
    void slowerCheckCausesAWarning() {
        assertThat(warning(SLOWER, false)).contains("The Redis client has a readiness check of its own: if Redis hangs, it"
                + " answers after 10000 ms (quarkus.redis.timeout), and the one of the bulkheads within 1000 ms"
                + " (quarkus.redis-bulkhead.command-timeout). If nothing else needs Redis, set"
                + " quarkus.redis.health.enabled=false when the application is built, or reduce quarkus.redis.timeout");
    }

    @Test
    void bothProblemsAreOneWarning() {
        assertThat(warning(SLOWER, true)).hasValueSatisfying(text -> assertThat(text).contains("10000 ms", "; while Redis"));
    }

    private static Optional<String> warning(Duration timeout, boolean allContinue) {
        return HealthRecorder.warning("quarkus.redis.timeout", timeout, COMMAND_TIMEOUT, allContinue);
    }
}
