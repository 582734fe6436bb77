package io.quarkiverse.redisbulkhead.deployment.validation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.deployment.FixedConfiguration;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadBuildTimeConfig;
import io.quarkiverse.redisbulkhead.runtime.definition.ValidationErrors;
import io.quarkiverse.redisbulkhead.runtime.definition.ValidationErrors.ValidationError;
import io.smallrye.config.SmallRyeConfigBuilder;

class ManagementRuleTest {

    @Test
    void buildFailsWithoutAnHttpServer() {
        assertThat(mistakes("true", false)).singleElement().hasToString(
                "RBH029 "
                        + "quarkus.redis-bulkhead.management.enabled: the management endpoint needs an HTTP server, which this"
                        + " application does not have. Add the extension io.quarkus:quarkus-vertx-http, or another extension that includes it, such"
                        + " as io.quarkus:quarkus-rest; or leave the property out");
        assertThat(mistakes("true", true)).isEmpty();
        assertThat(mistakes("false", false)).isEmpty();
    }

    private static List<ValidationError> mistakes(String enabled, boolean http) {
        RedisBulkheadBuildTimeConfig fixed = FixedConfiguration
                .of(Map.of("quarkus.redis-bulkhead.management.enabled", enabled));
        ValidationErrors errors = new ValidationErrors();
        new BuildConfigurationRule(new SmallRyeConfigBuilder().build(), fixed, http).check(null, errors);
        return errors.all();
    }
}
