package io.quarkiverse.redisbulkhead.runtime.management;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfig;
import io.smallrye.config.SmallRyeConfigBuilder;

class PermissionsTest {

    private static final String GROUP = "quarkus.http.auth.permission.";

    @ParameterizedTest
    @ValueSource(strings = { "/q/redis-bulkhead/*", "/q/*", "/*", "q/*", "/metrics, /q/redis-bulkhead/*",
            "/q/*/*/limit, /q/*/*/permits/*", "/*/redis-bulkhead/*" })
    void covers(String paths) {
        assertThat(permissions(paths).cover("/q/redis-bulkhead")).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = { "/q/redis-bulkhead", "/q/redis", "/api/*", "/q/redis-bulkhead*", "/q/redis-bulkhead/", "/q/*/x/*",
            "/q", "/q/*/*/limit", "/q/*/*/permits/*" })
    void doesNotCover(String paths) {
        assertThat(permissions(paths).cover("/q/redis-bulkhead")).isFalse();
    }

    @Test
    void relativePathsAreBelowTheRoot() {
        SmallRyeConfig config = config(GROUP + "\"of operators\".paths", "q/*");

        assertThat(new Permissions(config, GROUP, "/shop").cover("/shop/q/redis-bulkhead")).isTrue();
        assertThat(new Permissions(config, GROUP, "/shop").cover("/q/redis-bulkhead")).isFalse();
    }

    @Test
    void onlyThoseThatAreEnabledCount() {
        SmallRyeConfig config = config(GROUP + "operators.paths", "/*", GROUP + "operators.enabled", "false");

        assertThat(new Permissions(config, GROUP, "/").cover("/q/redis-bulkhead")).isFalse();
    }

    @Test
    void thoseOfTheOtherInterfaceDoNotCount() {
        assertThat(new Permissions(config(GROUP + "operators.paths", "/*"), "quarkus.management.auth.permission.", "/q")
                .cover("/q/redis-bulkhead")).isFalse();
    }

    private static Permissions permissions(String paths) {
        return new Permissions(config(GROUP + "operators.paths", paths), GROUP, "/");
    }

    private static SmallRyeConfig config(String... properties) {
        Map<String, String> values = new HashMap<>();
        for (int i = 0; i < properties.length; i += 2) {
            values.put(properties[i], properties[i + 1]);
        }
        return new SmallRyeConfigBuilder().withSources(new PropertiesConfigSource(values, "test", 100)).build();
    }
}
