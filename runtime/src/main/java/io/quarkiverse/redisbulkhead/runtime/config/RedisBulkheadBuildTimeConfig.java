package io.quarkiverse.redisbulkhead.runtime.config;

import java.util.Optional;

import io.quarkus.redis.runtime.client.config.RedisConfig;
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
     * Where permits live. {@code script}: in Redis, with a Lua script for each operation. {@code lock}: in Redis, with a lock
     * and a transaction for each step, for servers that forbid scripts. {@code local}: in this process, without Redis, for
     * tests and single instances.
     * <p>
     * Example: {@code quarkus.redis-bulkhead.store=lock}
     */
    @WithDefault("script")
    StoreKind store();

    /**
     * The named Redis client ({@code quarkus.redis."name".hosts}) whose options the extension uses.
     * <p>
     * Example: {@code quarkus.redis-bulkhead.redis-client=limits}
     */
    // Quarkus fixes only values that exist at build time, so a default, and not an Optional.
    @WithDefault(RedisConfig.DEFAULT_CLIENT_NAME)
    String redisClient();

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
         * Whether {@code GET /q/redis-bulkhead} shows all bulkheads with their holders and waiters, on the management interface
         * if it is enabled, otherwise on the port of the application. It needs an HTTP server, such as that of Quarkus REST.
         * Secure it: it shows keys, which may be names of users.
         * <p>
         * Example: {@code quarkus.redis-bulkhead.management.enabled=true}
         */
        @WithDefault("false")
        boolean enabled();

        /**
         * Whether the endpoint can also revoke permits and set limits. Requires {@code management.enabled}. Secure it:
         * otherwise any client that reaches it can do so.
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
         * Whether there is a readiness check, if the application has SmallRye Health. It shows what each bulkhead does, and is
         * down only while Redis is away and a bulkhead therefore rejects calls.
         * <p>
         * Example: {@code quarkus.redis-bulkhead.health.enabled=false}
         */
        @WithDefault("true")
        boolean enabled();
    }

    /**
     * Micrometer metrics.
     */
    MetricsBuildConfig metrics();

    /**
     * OpenTelemetry traces.
     */
    TracingBuildConfig tracing();

    /**
     * Micrometer metrics.
     */
    interface MetricsBuildConfig {

        /**
         * Whether there are metrics, if the application has a Micrometer extension.
         * <p>
         * Example: {@code quarkus.redis-bulkhead.metrics.enabled=false}
         */
        @WithDefault("true")
        boolean enabled();
    }

    /**
     * OpenTelemetry traces.
     */
    interface TracingBuildConfig {

        /**
         * Whether each acquire is a span, if the application has the OpenTelemetry extension.
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
         * Whether dev mode and tests start an embedded Redis if the client's hosts are not configured and there is no container
         * runtime. (With a container runtime, the Dev Services of the Redis client start a container.)
         * <p>
         * Example: {@code quarkus.redis-bulkhead.devservices.enabled=false}
         */
        @WithDefault("true")
        boolean enabled();

        /**
         * The executable of a Redis or Valkey server to start instead of the embedded one, for example the version that runs in
         * production. With a container runtime, also set {@code quarkus.redis.devservices.enabled=false}.
         * <p>
         * Example: {@code quarkus.redis-bulkhead.devservices.executable=/usr/bin/valkey-server}
         */
        Optional<String> executable();
    }

    /** Where permits live. */
    enum StoreKind {

        /** In Redis, kept by scripts. */
        SCRIPT,

        /** In Redis, each step under a lock; for servers that run no scripts. */
        LOCK,

        /** In this process. */
        LOCAL;

        /**
         * Whether permits live in Redis.
         *
         * @return {@code false} when the application can do without
         */
        public boolean needsRedis() {
            return this != LOCAL;
        }
    }
}
