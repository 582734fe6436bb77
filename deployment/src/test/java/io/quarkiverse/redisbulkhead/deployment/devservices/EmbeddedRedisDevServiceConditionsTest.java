package io.quarkiverse.redisbulkhead.deployment.devservices;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
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

    @Test
    void offeredWithoutContainerRuntime() {
        assertThat(offered(Map.of(), false)).extracting(DevServicesResultBuildItem::getName).containsExactly("redis-bulkhead");
    }

    @Test
    void notOfferedWithContainerRuntime() {
        assertThat(offered(Map.of(), true)).isEmpty();
    }

    /** The application may use Redis for other purposes, and a container would start. */
    @Test
    void offeredWithTheLocalStoreUnlessTheDevServiceOfTheClientIsDisabled() {
        String store = "quarkus.redis-bulkhead.store";
        assertThat(offered(Map.of(store, "local"), false)).hasSize(1);
        assertThat(offered(Map.of(store, "local", "quarkus.redis-bulkhead.redis-client", "permits"), false))
                .extracting(DevServicesResultBuildItem::getServiceName).containsExactly("<default>");
        System.setProperty(ENABLED, "true");
        assertThat(offered(Map.of(store, "local", "quarkus.redis.devservices.enabled", "false"), false)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = { "quarkus.redis.hosts", "quarkus.redis.hosts-provider-name" })
    void notOfferedWhenTheClientIsConfigured(String property) {
        System.setProperty(property, "redis://127.0.0.1:1");
        try {
            assertThat(offered(Map.of(), false)).isEmpty();
        } finally {
            System.clearProperty(property);
        }
    }

    @Test
    void notOfferedWhenDisabled() {
        assertThat(offered(Map.of("quarkus.redis-bulkhead.devservices.enabled", "false"), false)).isEmpty();
        assertThat(offered(Map.of("quarkus.redis.devservices.enabled", "false"), false)).isEmpty();
    }

    @Test
    void offeredWhenOnlyTheDevServiceOfTheClientIsDisabled() {
        System.setProperty(ENABLED, "true");

        assertThat(offered(Map.of("quarkus.redis.devservices.enabled", "false"), true)).hasSize(1);
        assertThat(offered(Map.of("quarkus.redis.devservices.enabled", "false"), false)).hasSize(1);
        assertThat(offered(Map.of(), true)).isEmpty();
    }

    @Test
    void offeredWithAnExecutableWhenOnlyTheDevServiceOfTheClientIsDisabled() {
        String executable = "quarkus.redis-bulkhead.devservices.executable";
        assertThat(offered(Map.of(executable, "redis-server", "quarkus.redis.devservices.enabled", "false"), true)).hasSize(1);
        assertThat(offered(Map.of(executable, "redis-server"), true)).isEmpty();
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
