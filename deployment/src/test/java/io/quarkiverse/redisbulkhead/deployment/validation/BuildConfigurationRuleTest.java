package io.quarkiverse.redisbulkhead.deployment.validation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.deployment.discovery.BulkheadUsage;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadBuildTimeConfig;
import io.quarkiverse.redisbulkhead.runtime.definition.ValidationErrors;
import io.quarkiverse.redisbulkhead.runtime.definition.ValidationErrors.ValidationError;
import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfig;
import io.smallrye.config.SmallRyeConfigBuilder;

/** What the build-time configuration asks for: when a named client is known, and when the check is left to start-up. */
class BuildConfigurationRuleTest {

    private static final String CLIENT = "quarkus.redis-bulkhead.redis-client";
    private static final String HOSTS = "redis://localhost:1";

    @Test
    void managementNeedsAnHttpServer() {
        Map<String, String> enabled = Map.of("quarkus.redis-bulkhead.management.enabled", "true");
        assertThat(mistakes(enabled, Set.of(), false)).singleElement().hasToString(
                "RBH029 quarkus.redis-bulkhead.management.enabled: the management endpoint needs an HTTP server, which this"
                        + " application does not have. Add the extension io.quarkus:quarkus-vertx-http, or another extension"
                        + " that includes it, such as io.quarkus:quarkus-rest; or leave the property out");
        assertThat(mistakes(enabled, Set.of(), true)).isEmpty();
        assertThat(mistakes(Map.of(), Set.of(), false)).isEmpty();
    }

    @Test
    void rejectsAnUnconfiguredClientIfOthersAreConfigured() {
        assertThat(mistakes(Map.of(CLIENT, "x", "quarkus.redis.hosts", HOSTS), Set.of())).singleElement()
                .satisfies(mistake -> assertThat(mistake.code()).isEqualTo(MessageCode.RBH022))
                .satisfies(mistake -> assertThat(mistake.text()).contains("Only the default client is configured"));
        assertThat(mistakes(Map.of(CLIENT, "x", "quarkus.redis.other.hosts-provider-name", "p"), Set.of("third")))
                .singleElement()
                .satisfies(mistake -> assertThat(mistake.text()).contains("There are other, third."));
        assertThat(mistakes(Map.of(CLIENT, "permitz", "quarkus.redis.hosts", HOSTS, "quarkus.redis.permits.hosts", HOSTS),
                Set.of()))
                .singleElement()
                .hasToString("RBH022 quarkus.redis-bulkhead.redis-client: there is no Redis client 'permitz'. Did you mean"
                        + " 'permits'? There are permits. Set quarkus.redis.permitz.hosts (an expression such as ${REDIS_HOSTS}"
                        + " is enough for the build), or leave redis-client out to use the default client");
    }

    @Test
    void anyPropertyMakesAClientKnown() {
        for (String property : List.of("quarkus.redis.x.hosts", "quarkus.redis.\"x\".hosts", "quarkus.redis.x.timeout",
                "quarkus.redis.x.tcp.cork", "quarkus.redis.x.devservices.enabled", "%prod.quarkus.redis.x.hosts")) {
            assertThat(mistakes(Map.of(CLIENT, "x", "quarkus.redis.hosts", HOSTS, property, "1"), Set.of())).as(property)
                    .isEmpty();
        }
        assertThat(mistakes(Map.of(CLIENT, "x.y", "quarkus.redis.hosts", HOSTS, "quarkus.redis.\"x.y\".hosts", "${X_HOSTS}"),
                Set.of())).isEmpty();
        assertThat(mistakes(Map.of(CLIENT, "x", "quarkus.redis.hosts", HOSTS), Set.of("x"))).isEmpty();
    }

    @Test
    void defersTheCheckToStartUpIfNothingIsConfigured() {
        assertThat(mistakes(Map.of(CLIENT, "x"), Set.of("y"))).isEmpty();
        assertThat(mistakes(Map.of(CLIENT, "x", "quarkus.redis.devservices.enabled", "false"), Set.of())).isEmpty();
    }

    /** An environment variable of this extension, as the configuration may list it. */
    @Test
    void otherPropertiesDefineNoClient() {
        assertThat(mistakes(Map.of(CLIENT, "x", "quarkus.redis.bulkhead.command-timeout", "1s"), Set.of())).isEmpty();
    }

    @Test
    void theDefaultClientAndTheLocalStoreNeedNoName() {
        assertThat(mistakes(Map.of("quarkus.redis.other.hosts", HOSTS), Set.of())).isEmpty();
        assertThat(mistakes(Map.of(CLIENT, "<default>", "quarkus.redis.other.hosts", HOSTS), Set.of())).isEmpty();
        assertThat(mistakes(Map.of(CLIENT, "x", "quarkus.redis.other.hosts", HOSTS, "quarkus.redis-bulkhead.store", "local"),
                Set.of())).isEmpty();
    }

    private static List<ValidationError> mistakes(Map<String, String> properties, Set<String> asked) {
        return mistakes(properties, asked, true);
    }

    private static List<ValidationError> mistakes(Map<String, String> properties, Set<String> asked, boolean http) {
        SmallRyeConfig config = new SmallRyeConfigBuilder().addDefaultInterceptors()
                .withMapping(RedisBulkheadBuildTimeConfig.class)
                .withMappingIgnore("quarkus.**")
                .withSources(new PropertiesConfigSource(new HashMap<>(properties), "test", 100))
                .build();
        BulkheadUsage usage = new BulkheadUsage(List.of(), null, List.of(), null, null, null, null, asked, List.of(), List.of(),
                null);
        ValidationErrors errors = new ValidationErrors();
        Rule.all(config, config.getConfigMapping(RedisBulkheadBuildTimeConfig.class), http, false).stream()
                .filter(BuildConfigurationRule.class::isInstance).forEach(rule -> rule.check(usage, errors));
        return errors.all();
    }
}
