package io.quarkiverse.redisbulkhead.runtime.management;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Optional;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.runtime.management.ManagementRecorder.Secured;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;

class OpenEndpointWarningTest {

    private static final String GROUP = "quarkus.http.auth.permission.";

    @Test
    void saysWhatIsOpenAndWhatWouldSecureIt() {
        assertThat(warning(Secured.BY_CONFIGURATION, "/api/*")).contains(
                "Any client that reaches /q/redis-bulkhead can revoke permits and set limits:"
                        + " quarkus.redis-bulkhead.management.changes-enabled=true, and no quarkus.http.auth.permission.* covers"
                        + " that path and what is below it. End its paths with /*");
    }

    /** Then permissions have no effect, whatever they cover. */
    @Test
    void withoutASecurityExtensionNothingSecuresIt() {
        assertThat(warning(Secured.NOT, "/*").orElseThrow()).contains("/q/redis-bulkhead").endsWith("security extension");
    }

    /** Quarkus looks at the permissions of the management interface only where authentication is on there. */
    @Test
    void permissionsThatNobodyLooksAtSecureNothing() {
        assertThat(warning(Secured.NOT_ENFORCED, "/*").orElseThrow()).contains("quarkus.management.auth.basic=true");
    }

    @Test
    void isSilentWhereItIsSecuredOrMayBe() {
        assertThat(warning(Secured.BY_CONFIGURATION, "/q/*")).isEmpty();
        assertThat(warning(Secured.BY_CODE, "/api/*")).isEmpty();
    }

    private static Optional<String> warning(Secured secured, String paths) {
        return new OpenEndpointWarning("/q/redis-bulkhead", GROUP, secured).unlessCovered(new Permissions(
                new SmallRyeConfigBuilder().withSources(
                        new PropertiesConfigSource(Map.of(GROUP + "operators.paths", paths), "test", 100)).build(),
                GROUP, "/"));
    }
}
