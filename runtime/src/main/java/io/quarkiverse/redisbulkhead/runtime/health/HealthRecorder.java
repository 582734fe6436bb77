package io.quarkiverse.redisbulkhead.runtime.health;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.OnOutage;
import io.quarkiverse.redisbulkhead.runtime.BulkheadRegistry;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadRuntimeConfig;
import io.quarkus.arc.runtime.BeanContainer;
import io.quarkus.redis.runtime.client.config.RedisConfig;
import io.quarkus.runtime.RuntimeValue;
import io.quarkus.runtime.annotations.Recorder;

/** Logs at start-up what the readiness check of the Redis client does in an outage. */
@Recorder
public class HealthRecorder {

    private static final Logger LOG = Logger.getLogger(HealthRecorder.class);

    private final RuntimeValue<RedisConfig> clients;
    private final RuntimeValue<RedisBulkheadRuntimeConfig> config;

    /**
     * Creates the recorder.
     *
     * @param clients how long a client waits for an answer
     * @param config how long bulkheads do
     */
    public HealthRecorder(RuntimeValue<RedisConfig> clients, RuntimeValue<RedisBulkheadRuntimeConfig> config) {
        this.clients = clients;
        this.config = config;
    }

    /**
     * The check of the client waits for as long as the client does, and it fails although all bulkheads may go on.
     *
     * @param beans the started container
     * @param client the name of the client
     */
    public void describeCheckOfTheClient(BeanContainer beans, String client) {
        Set<OnOutage> policies = beans.beanInstance(BulkheadRegistry.class).outagePolicies();
        if (!policies.isEmpty()) {
            warning(RedisConfig.getPropertyName(client, "timeout"), clients.getValue().clients().get(client).timeout(),
                    config.getValue().commandTimeout(), !policies.contains(OnOutage.REJECT)).ifPresent(LOG::warn);
        }
    }

    static Optional<String> warning(String property, Duration timeout, Duration commandTimeout, boolean allContinue) {
        List<String> differences = new ArrayList<>();
        String remedy = "set quarkus.redis.health.enabled=false when the application is built";
        if (timeout.compareTo(commandTimeout) > 0) {
            differences.add("if Redis hangs, it answers after " + timeout.toMillis() + " ms (" + property
                    + "), and the one of the bulkheads within " + commandTimeout.toMillis()
                    + " ms (quarkus.redis-bulkhead.command-timeout)");
            remedy += ", or reduce " + property;
        }
        if (allContinue) {
            differences.add("while Redis is away, the application is not ready because of it, although all bulkheads continue"
                    + " (on-outage)");
        }
        return differences.isEmpty() ? Optional.empty()
                : Optional.of("The Redis client has a readiness check of its own: " + String.join("; ", differences)
                        + ". If nothing else needs Redis, " + remedy);
    }
}
