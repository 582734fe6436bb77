package io.quarkiverse.redisbulkhead.deployment.devservices;

import static io.quarkiverse.redisbulkhead.deployment.RedisBulkheadProcessor.FEATURE;
import static io.quarkus.redis.runtime.client.config.RedisConfig.HOSTS;
import static io.quarkus.redis.runtime.client.config.RedisConfig.HOSTS_PROVIDER_NAME;
import static io.quarkus.redis.runtime.client.config.RedisConfig.getPropertyName;

import java.util.Map;

import org.eclipse.microprofile.config.ConfigProvider;
import org.eclipse.microprofile.config.ConfigValue;
import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadBuildTimeConfig;
import io.quarkus.deployment.IsDevServicesSupportedByLaunchMode;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.deployment.annotations.BuildSteps;
import io.quarkus.deployment.builditem.DevServicesRegistryBuildItem;
import io.quarkus.deployment.builditem.DevServicesResultBuildItem;
import io.quarkus.deployment.builditem.DockerStatusBuildItem;
import io.quarkus.deployment.builditem.LiveReloadBuildItem;
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

    private static final String ENABLED = "quarkus.redis-bulkhead.devservices.enabled";

    private static final Logger LOG = Logger.getLogger(EmbeddedRedisDevServiceProcessor.class);

    /**
     * Registers the dev service, unless the client is configured, dev services are disabled, or a container runtime is
     * available. If only the dev service of the client is disabled, and this one is enabled explicitly or has an executable,
     * this one starts without looking for a container runtime. Where permits do not live in Redis, this is for the default
     * client, which the application may use for other purposes, as the containers are.
     *
     * @param config names the store and the client
     * @param redisConfig says whether the dev service of the client is enabled
     * @param containerRuntime whether the client's own dev service will work
     * @param liveReload remembers the server until the next live reload
     * @param registry keeps dev services running across live reloads
     * @param devServices takes the dev service
     */
    @BuildStep
    public void provideRedis(RedisBulkheadBuildTimeConfig config, RedisBuildTimeConfig redisConfig,
            DockerStatusBuildItem containerRuntime, LiveReloadBuildItem liveReload, DevServicesRegistryBuildItem registry,
            BuildProducer<DevServicesResultBuildItem> devServices) {
        boolean needsRedis = config.store().needsRedis();
        String client = needsRedis ? config.redisClient() : RedisConfig.DEFAULT_CLIENT_NAME;
        if (!config.devservices().enabled()
                || isConfigured(client, HOSTS) || isConfigured(client, HOSTS_PROVIDER_NAME)) {
            return;
        }
        boolean containersAllowed = redisConfig.clients().get(client).devservices().enabled();
        boolean requested = needsRedis && (config.devservices().executable().isPresent() || isExplicit(ENABLED));
        if (containersAllowed ? containerRuntime.isContainerRuntimeAvailable() : !requested) {
            return;
        }
        EmbeddedRedis previous = liveReload.getContextObject(EmbeddedRedis.class);
        if (previous != null && !previous.isRunning()) {
            // The registry does not notice that a server has died, and would keep it.
            registry.closeAllRunningServices(FEATURE, client);
        }
        String hosts = getPropertyName(client, HOSTS);
        devServices.produce(DevServicesResultBuildItem.owned()
                .feature(FEATURE)
                .serviceName(client)
                .description("Embedded Redis")
                .serviceConfig(config.devservices())
                .startable(() -> {
                    EmbeddedRedis redis = new EmbeddedRedis(config.devservices().executable());
                    liveReload.setContextObject(EmbeddedRedis.class, redis);
                    return redis;
                })
                .configProvider(Map.of(hosts, redis -> "redis://" + redis.getConnectionInfo()))
                .postStartHook(redis -> LOG.infof("%s listens on %s. Set %s to use another Redis, or %s=false to disable it.",
                        containersAllowed ? "No container runtime was found, so an embedded Redis" : "An embedded Redis",
                        redis.getConnectionInfo(), hosts, ENABLED))
                .build());
    }

    /** Distinguishes a configured value from a default, whose source has the lowest ordinal. */
    private static boolean isExplicit(String property) {
        ConfigValue value = ConfigProvider.getConfig().getConfigValue(property);
        return value.getValue() != null && value.getSourceOrdinal() > Integer.MIN_VALUE;
    }

    /** Also looks for the quoted name, which means the same client. */
    private static boolean isConfigured(String client, String attribute) {
        return ConfigUtils.isPropertyNonEmpty(getPropertyName(client, attribute))
                || ConfigUtils.isPropertyNonEmpty("quarkus.redis.\"" + client + "\"." + attribute);
    }
}
