package io.quarkiverse.redisbulkhead.deployment.devservices;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.redisbulkhead.deployment.Mapped;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadBuildTimeConfig;
import io.quarkus.deployment.IsDockerWorking;
import io.quarkus.deployment.builditem.DevServicesRegistryBuildItem;
import io.quarkus.deployment.builditem.DevServicesResultBuildItem;
import io.quarkus.deployment.builditem.DockerStatusBuildItem;
import io.quarkus.deployment.builditem.LiveReloadBuildItem;
import io.quarkus.redis.deployment.client.RedisBuildTimeConfig;
import io.quarkus.runtime.LaunchMode;

/** The conditions for offering an embedded Redis. */
class EmbeddedRedisDevServiceConditionsTest {

    private static final String ENABLED = "quarkus.redis-bulkhead.devservices.enabled";

    /** The build enables the dev service for the applications of other tests. */
    private final String enabledByTheBuild = System.clearProperty(ENABLED);

    @AfterEach
    void restore() {
        if (enabledByTheBuild == null) {
            System.clearProperty(ENABLED);
        } else {
            System.setProperty(ENABLED, enabledByTheBuild);
        }
    }

    /** With the local store, too: the application may use Redis for other purposes, and a container would start. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "none", value = {
            "                                                 | no container |         | <default>",
            "                                                 | container    |         | none",
            "                                                 | container    | enabled | none",
            "redis-bulkhead.devservices.enabled=false         | no container |         | none",
            "redis.devservices.enabled=false                  | no container |         | none",
            "redis.devservices.enabled=false                  | no container | enabled | <default>",
            "redis.devservices.enabled=false                  | container    | enabled | <default>",
            "redis-bulkhead.devservices.executable=any        | container    |         | none",
            "redis-bulkhead.devservices.executable=any redis.devservices.enabled=false | container | | <default>",
            "redis-bulkhead.redis-client=permits              | no container |         | permits",
            "redis-bulkhead.store=local                       | no container |         | <default>",
            "redis-bulkhead.store=local redis-bulkhead.redis-client=permits | no container | | <default>",
            "redis-bulkhead.store=local redis.devservices.enabled=false | no container | enabled | none" })
    void isOfferedForTheClient(String properties, String containerRuntime, String explicitly, String client) {
        if (explicitly != null) {
            System.setProperty(ENABLED, "true");
        }

        assertThat(offered(Mapped.properties(properties), containerRuntime.equals("container")))
                .extracting(DevServicesResultBuildItem::getServiceName).isEqualTo(Stream.ofNullable(client).toList());
    }

    @ParameterizedTest
    @ValueSource(strings = { "quarkus.redis.hosts", "quarkus.redis.hosts-provider-name" })
    void isNotOfferedWhenTheClientIsConfigured(String property) {
        System.setProperty(property, "redis://127.0.0.1:1");
        try {
            assertThat(offered(Map.of(), false)).isEmpty();
        } finally {
            System.clearProperty(property);
        }
    }

    private static List<DevServicesResultBuildItem> offered(Map<String, String> properties, boolean containerRuntime) {
        List<DevServicesResultBuildItem> services = new ArrayList<>();
        IsDockerWorking docker = new IsDockerWorking() {
            @Override
            public boolean getAsBoolean() {
                return containerRuntime;
            }
        };
        new EmbeddedRedisDevServiceProcessor().provideRedis(
                Mapped.config(RedisBulkheadBuildTimeConfig.class, properties),
                Mapped.config(RedisBuildTimeConfig.class, properties),
                new DockerStatusBuildItem(docker), new LiveReloadBuildItem(),
                new DevServicesRegistryBuildItem(UUID.randomUUID(), null, LaunchMode.TEST), services::add);
        return services;
    }
}
