package io.quarkiverse.redisbulkhead.runtime.management;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;

class ManagementEndpointTest {

    private static final String PERMISSIONS = "quarkus.http.auth.permission.";
    private static final String PATHS = PERMISSIONS + "\"of operators\".paths";

    @ParameterizedTest
    @ValueSource(strings = { "/q/redis-bulkhead/*", "/q/*", "/*", "q/*", "/metrics, /q/redis-bulkhead/*" })
    void pathsThatCoverTheEndpoint(String paths) {
        assertThat(isCovered(Map.of(PATHS, paths), "/")).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = { "/q/redis-bulkhead", "/q/redis", "/q/redis/*", "/api/*", "/q/redis-bulkhead*", "/q/*/x/*", "/q" })
    void pathsThatDoNotCoverTheEndpoint(String paths) {
        assertThat(isCovered(Map.of(PATHS, paths), "/")).isFalse();
    }

    @Test
    void otherPermissionsAreIgnored() {
        assertThat(isCovered(Map.of(PATHS, "q/*"), "/shop")).as("relative to the root").isFalse();
        assertThat(isCovered(Map.of(PATHS, "/*", PERMISSIONS + "\"of operators\".enabled", "false"), "/")).isFalse();
        assertThat(isCovered(Map.of("quarkus.management.auth.permission.operators.paths", "/*"), "/")).isFalse();
    }

    private static boolean isCovered(Map<String, String> properties, String root) {
        return ManagementEndpoint.isCovered(
                new SmallRyeConfigBuilder().withSources(new PropertiesConfigSource(properties, "test", 100)).build(),
                "/q/redis-bulkhead", PERMISSIONS, root);
    }
}
