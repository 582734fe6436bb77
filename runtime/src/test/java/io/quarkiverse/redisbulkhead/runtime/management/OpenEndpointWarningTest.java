package io.quarkiverse.redisbulkhead.runtime.management;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.redisbulkhead.runtime.management.ManagementRecorder.Secured;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfig;
import io.smallrye.config.SmallRyeConfigBuilder;

class OpenEndpointWarningTest {

    private static final String PATH = "/q/redis-bulkhead";
    private static final String GROUP = "quarkus.http.auth.permission.";

    @Test
    void namesTheOpenPathAndThePermission() {
        assertThat(warning(Secured.BY_CONFIGURATION, "/api/*")).contains(
                "Any client that reaches /q/redis-bulkhead can revoke permits and set limits:"
                        + " quarkus.redis-bulkhead.management.changes-enabled=true, and no quarkus.http.auth.permission.* covers"
                        + " that path and the paths below it. End its paths with /*");
    }

    /** Permissions have no effect without a security extension. */
    @Test
    void warnsWithoutASecurityExtension() {
        assertThat(warning(Secured.NOT, "/*").orElseThrow()).contains("/q/redis-bulkhead").endsWith("security extension");
    }

    /** Quarkus enforces permissions of the management interface only if authentication is enabled there. */
    @Test
    void warnsIfPermissionsAreNotEnforced() {
        assertThat(warning(Secured.NOT_ENFORCED, "/*").orElseThrow()).contains("quarkus.management.auth.basic=true");
    }

    @Test
    void secureOrPossiblySecureEndpointCausesNoWarning() {
        assertThat(warning(Secured.BY_CONFIGURATION, "/q/*")).isEmpty();
        assertThat(warning(Secured.BY_CODE, "/api/*")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = { "/q/redis-bulkhead/*", "/q/*", "/*", "q/*", "/metrics, /q/redis-bulkhead/*",
            "/q/*/*/limit, /q/*/*/permits/*", "/*/redis-bulkhead/*" })
    void pathsThatCoverTheEndpoint(String paths) {
        assertThat(warning(Secured.BY_CONFIGURATION, paths)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = { "/q/redis-bulkhead", "/q/redis", "/api/*", "/q/redis-bulkhead*", "/q/redis-bulkhead/", "/q/*/x/*",
            "/q", "/q/*/*/limit", "/q/*/*/permits/*" })
    void pathsThatDoNotCoverTheEndpoint(String paths) {
        assertThat(warning(Secured.BY_CONFIGURATION, paths)).isPresent();
    }

    @Test
    void relativePathsStartAtTheRoot() {
        SmallRyeConfig config = config(GROUP + "\"of operators\".paths", "q/*");

        assertThat(isCovered("/shop/q/redis-bulkhead", GROUP, "/shop", config)).isTrue();
        assertThat(isCovered(PATH, GROUP, "/shop", config)).isFalse();
    }

    @Test
    void disabledPermissionsAreIgnored() {
        SmallRyeConfig config = config(GROUP + "operators.paths", "/*", GROUP + "operators.enabled", "false");

        assertThat(isCovered(PATH, GROUP, "/", config)).isFalse();
    }

    @Test
    void permissionsOfTheOtherInterfaceAreIgnored() {
        assertThat(isCovered(PATH, "quarkus.management.auth.permission.", "/q", config(GROUP + "operators.paths", "/*")))
                .isFalse();
    }

    private static Optional<String> warning(Secured secured, String paths) {
        return new OpenEndpointWarning(PATH, GROUP, "/", secured).text(config(GROUP + "operators.paths", paths));
    }

    private static boolean isCovered(String path, String group, String root, SmallRyeConfig config) {
        return new OpenEndpointWarning(path, group, root, Secured.BY_CONFIGURATION).text(config).isEmpty();
    }

    private static SmallRyeConfig config(String... properties) {
        Map<String, String> values = new HashMap<>();
        for (int i = 0; i < properties.length; i += 2) {
            values.put(properties[i], properties[i + 1]);
        }
        return new SmallRyeConfigBuilder().withSources(new PropertiesConfigSource(values, "test", 100)).build();
    }
}
