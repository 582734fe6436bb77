package io.quarkiverse.redisbulkhead.deployment.health;

import org.eclipse.microprofile.config.ConfigProvider;

import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadBuildTimeConfig;
import io.quarkiverse.redisbulkhead.runtime.health.HealthRecorder;
import io.quarkus.arc.deployment.BeanContainerBuildItem;
import io.quarkus.arc.deployment.SyntheticBeansRuntimeInitBuildItem;
import io.quarkus.deployment.Capabilities;
import io.quarkus.deployment.Capability;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.deployment.annotations.Consume;
import io.quarkus.deployment.annotations.ExecutionTime;
import io.quarkus.deployment.annotations.Record;
import io.quarkus.redis.runtime.client.config.RedisConfig;
import io.quarkus.smallrye.health.deployment.spi.HealthBuildItem;

/** The readiness check, where SmallRye Health is present. */
class HealthProcessor {

    // By name: it needs SmallRye Health, which the application may lack.
    private static final String CHECK = "io.quarkiverse.redisbulkhead.runtime.health.BulkheadsHealthCheck";

    private static final String CHECK_OF_THE_CLIENT = "quarkus.redis.health.enabled";

    @BuildStep
    HealthBuildItem check(RedisBulkheadBuildTimeConfig config) {
        return new HealthBuildItem(CHECK, config.health().enabled());
    }

    @BuildStep
    @Record(ExecutionTime.RUNTIME_INIT)
    @Consume(SyntheticBeansRuntimeInitBuildItem.class)
    void describeCheckOfTheClient(HealthRecorder recorder, BeanContainerBuildItem beans, Capabilities capabilities,
            RedisBulkheadBuildTimeConfig config) {
        boolean clientChecks = ConfigProvider.getConfig().getOptionalValue(CHECK_OF_THE_CLIENT, Boolean.class).orElse(true);
        if (capabilities.isPresent(Capability.SMALLRYE_HEALTH) && config.store().needsRedis() && clientChecks) {
            recorder.describeCheckOfTheClient(beans.getValue(),
                    config.redisClient().orElse(RedisConfig.DEFAULT_CLIENT_NAME));
        }
    }
}
