package io.quarkiverse.redisbulkhead.runtime.config;

import java.util.Optional;

import io.quarkus.runtime.annotations.ConfigPhase;
import io.quarkus.runtime.annotations.ConfigRoot;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;

/**
 * Redis Bulkhead
 */
@ConfigMapping(prefix = "quarkus.redis-bulkhead")
@ConfigRoot(phase = ConfigPhase.BUILD_AND_RUN_TIME_FIXED)
public interface RedisBulkheadBuildTimeConfig {

    /**
     * Where permits live. {@code script}: in Redis, each operation is one Lua script. {@code lock}: in Redis, each step is
     * done under a lock, for servers that run no scripts. {@code local}: in this process, for tests and for applications of
     * one instance; no Redis is needed then.
     * <p>
     * Example: {@code quarkus.redis-bulkhead.store=lock}
     */
    @WithDefault("script")
    StoreKind store();

    /**
     * The name of the Redis client that holds the permits, as in {@code quarkus.redis."name".hosts}. Without it the default
     * client is used.
     * <p>
     * Example: {@code quarkus.redis-bulkhead.redis-client=limits}
     */
    Optional<String> redisClient();

    /**
     * Redis for development and tests.
     */
    DevServicesConfig devservices();

    /**
     * The HTTP endpoint for operators.
     */
    ManagementConfig management();

    /**
     * The health check.
     */
    HealthConfig health();

    /**
     * The HTTP endpoint for operators.
     */
    interface ManagementConfig {

        /**
         * Whether {@code GET /q/redis-bulkhead} shows all bulkheads, who holds and who waits: on the management interface
         * where there is one, else beside the application. It needs an HTTP server, such as that of Quarkus REST. Secure it,
         * because it shows keys, which may be names of users.
         * <p>
         * Example: {@code quarkus.redis-bulkhead.management.enabled=true}
         */
        @WithDefault("false")
        boolean enabled();

        /**
         * Whether the endpoint also revokes permits and sets limits. Only where {@code management.enabled} is true as well.
         * Secure it: any client that reaches it can do so.
         * <p>
         * Example: {@code quarkus.redis-bulkhead.management.changes-enabled=true}
         */
        @WithDefault("false")
        boolean changesEnabled();
    }

    /**
     * The health check.
     */
    interface HealthConfig {

        /**
         * Whether there is a readiness check where the application has SmallRye Health. It tells what each bulkhead does, and
         * is down only while Redis is away and a bulkhead rejects calls for that.
         * <p>
         * Example: {@code quarkus.redis-bulkhead.health.enabled=false}
         */
        @WithDefault("true")
        boolean enabled();
    }

    /**
     * Metrics by Micrometer.
     */
    MetricsBuildConfig metrics();

    /**
     * Traces by OpenTelemetry.
     */
    TracingBuildConfig tracing();

    /**
     * Metrics by Micrometer.
     */
    interface MetricsBuildConfig {

        /**
         * Whether there are metrics, where the application has a Micrometer extension.
         * <p>
         * Example: {@code quarkus.redis-bulkhead.metrics.enabled=false}
         */
        @WithDefault("true")
        boolean enabled();
    }

    /**
     * Traces by OpenTelemetry.
     */
    interface TracingBuildConfig {

        /**
         * Whether asking for a permit is a span, where the application has the OpenTelemetry extension.
         * <p>
         * Example: {@code quarkus.redis-bulkhead.tracing.enabled=false}
         */
        @WithDefault("true")
        boolean enabled();
    }

    /**
     * Redis for development and tests.
     */
    interface DevServicesConfig {

        /**
         * Whether an embedded Redis is started in dev mode and tests when the client's hosts are not configured and there
         * is no container runtime. (Where there is one, the Dev Services of the Redis client start a container.)
         * <p>
         * Example: {@code quarkus.redis-bulkhead.devservices.enabled=false}
         */
        @WithDefault("true")
        boolean enabled();
    }
}
