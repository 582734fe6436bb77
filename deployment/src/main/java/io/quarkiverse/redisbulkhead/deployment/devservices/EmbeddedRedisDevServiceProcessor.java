package io.quarkiverse.redisbulkhead.deployment.devservices;

import static io.quarkiverse.redisbulkhead.deployment.RedisBulkheadProcessor.FEATURE;
import static io.quarkus.redis.runtime.client.config.RedisConfig.HOSTS;
import static io.quarkus.redis.runtime.client.config.RedisConfig.HOSTS_PROVIDER_NAME;
import static io.quarkus.redis.runtime.client.config.RedisConfig.getPropertyName;

import java.util.Map;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.runtime.RedisBulkheadBuildTimeConfig;
import io.quarkus.deployment.IsDevServicesSupportedByLaunchMode;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.deployment.annotations.BuildSteps;
import io.quarkus.deployment.builditem.DevServicesResultBuildItem;
import io.quarkus.deployment.builditem.DockerStatusBuildItem;
import io.quarkus.deployment.dev.devservices.DevServicesConfig;
import io.quarkus.redis.deployment.client.RedisBuildTimeConfig;
import io.quarkus.redis.runtime.client.config.RedisConfig;
import io.quarkus.runtime.configuration.ConfigUtils;

/**
 * Gives the Redis client of the extension an {@link EmbeddedRedis} in dev mode and tests, where the Dev Services of
 * the client itself cannot help because there is no container runtime.
 */
@BuildSteps(onlyIf = { IsDevServicesSupportedByLaunchMode.class, DevServicesConfig.Enabled.class })
public class EmbeddedRedisDevServiceProcessor {

    private static final Logger LOG = Logger.getLogger(EmbeddedRedisDevServiceProcessor.class);

    /**
     * Registers the dev service, unless permits do not live in Redis, the client is configured, its dev service is
     * switched off or a container runtime runs.
     *
     * @param config names the store and the client
     * @param redisConfig says whether the client may have a dev service
     * @param containerRuntime whether the client's own dev service will work
     * @param devServices takes the dev service
     */
    @BuildStep
    public void provideRedis(RedisBulkheadBuildTimeConfig config, RedisBuildTimeConfig redisConfig,
            DockerStatusBuildItem containerRuntime, BuildProducer<DevServicesResultBuildItem> devServices) {
        String client = config.redisClient().orElse(RedisConfig.DEFAULT_CLIENT_NAME);
        if (!config.store().needsRedis() || !config.devservices().enabled()
                || !redisConfig.clients().get(client).devservices().enabled()
                || isConfigured(client, HOSTS) || isConfigured(client, HOSTS_PROVIDER_NAME)
                || containerRuntime.isContainerRuntimeAvailable()) {
            return;
        }
        String hosts = getPropertyName(client, HOSTS);
        devServices.produce(DevServicesResultBuildItem.owned()
                .feature(FEATURE)
                .serviceName(client)
                .description("Embedded Redis, as there is no container runtime")
                .serviceConfig(config.devservices())
                .startable(EmbeddedRedis::new)
                .configProvider(Map.of(hosts, redis -> "redis://" + redis.getConnectionInfo()))
                .postStartHook(redis -> LOG.infof("No container runtime was found, so an embedded Redis listens on %s. "
                        + "Set %s to use another one, or quarkus.redis-bulkhead.devservices.enabled=false to switch it off.",
                        redis.getConnectionInfo(), hosts))
                .build());
    }

    /** Looks for the name with quotes too, which means the same client. */
    private static boolean isConfigured(String client, String attribute) {
        return ConfigUtils.isPropertyNonEmpty(getPropertyName(client, attribute))
                || ConfigUtils.isPropertyNonEmpty("quarkus.redis.\"" + client + "\"." + attribute);
    }
}
