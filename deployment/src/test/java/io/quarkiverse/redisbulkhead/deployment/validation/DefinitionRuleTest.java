package io.quarkiverse.redisbulkhead.deployment.validation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.deployment.Mapped;
import io.quarkiverse.redisbulkhead.deployment.discovery.BulkheadUsage;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadBuildTimeConfig;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.DefinedInCode;
import io.quarkiverse.redisbulkhead.runtime.definition.ValidationErrors;
import io.quarkiverse.redisbulkhead.runtime.definition.ValidationErrors.ValidationError;
import io.smallrye.config.SmallRyeConfigBuilder;

class DefinitionRuleTest {

    @Test
    void managementNeedsAnHttpServer() {
        assertThat(mistakes("redis-bulkhead.management.enabled=true", false)).singleElement().hasToString(
                "RBH029 quarkus.redis-bulkhead.management.enabled: the management endpoint needs an HTTP server, which this"
                        + " application does not have. Add the extension io.quarkus:quarkus-vertx-http, or another extension"
                        + " that includes it, such as io.quarkus:quarkus-rest; or leave the property out");
        assertThat(mistakes("redis-bulkhead.management.enabled=true", true)).isEmpty();
        assertThat(mistakes("redis-bulkhead.store=local", false)).isEmpty();
    }

    private static List<ValidationError> mistakes(String properties, boolean http) {
        Declarations none = new Declarations(List.of(), List.of(), List.of(), DefinedInCode.NONE);
        ValidationErrors errors = new ValidationErrors();
        new DefinitionRule(new SmallRyeConfigBuilder().build(),
                Mapped.config(RedisBulkheadBuildTimeConfig.class, Mapped.properties(properties)), http)
                .check(new BulkheadUsage(List.of(), none, List.of(), null, null, null, null, List.of(), List.of()), errors);
        return errors.all();
    }
}
