package io.quarkiverse.redisbulkhead.deployment.validation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.quarkiverse.redisbulkhead.deployment.Mapped;
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

    /** Only a warning, because a profile may enable the endpoint. */
    @Test
    void changesNeedTheManagementEndpoint() {
        String changes = "redis-bulkhead.management.changes-enabled=true";
        ValidationErrors errors = errors(Mapped.properties(changes), Set.of(), true);
        assertThat(errors.all()).isEmpty();
        assertThat(errors.warnings()).singleElement().asString().startsWith(
                "RBH029 quarkus.redis-bulkhead.management.changes-enabled: it has no effect, because the management endpoint is"
                        + " not enabled. Set quarkus.redis-bulkhead.management.enabled=true at build time. See ");
        assertThat(errors(Mapped.properties(changes + " redis-bulkhead.management.enabled=true"), Set.of(), true).warnings())
                .isEmpty();
    }

    @Test
    void clientThatIsNotConfiguredIsAMistake() {
        assertThat(mistakes(Mapped.properties("redis-bulkhead.redis-client=permitz redis.hosts=h redis.permits.hosts=h"),
                Set.of(), true)).singleElement().hasToString(
                        "RBH022 quarkus.redis-bulkhead.redis-client: there is no Redis client 'permitz'. Did you mean"
                                + " 'permits'? There are permits. Set quarkus.redis.permitz.hosts (an expression such as"
                                + " ${REDIS_HOSTS} is enough for the build), or leave redis-client out to use the default"
                                + " client");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "redis-bulkhead.redis-client=x redis.hosts=h                      |       | Only the default client is configured",
            "redis-bulkhead.redis-client=x redis.other.hosts-provider-name=p  | third | There are other, third." })
    void mistakeNamesTheOtherClients(String properties, String asked, String text) {
        assertThat(mistakes(Mapped.properties(properties), asked == null ? Set.of() : Set.of(asked), true)).singleElement()
                .satisfies(mistake -> assertThat(mistake.code()).isEqualTo(MessageCode.RBH022))
                .satisfies(mistake -> assertThat(mistake.text()).contains(text));
    }

    /**
     * Any property makes a client known. Without any client, the check is left to start-up; environment variables of this
     * extension, as the configuration may list them, define none. The default client and the local store need no name.
     */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "redis-bulkhead.redis-client=x redis.hosts=h redis.x.hosts=h                         |",
            "redis-bulkhead.redis-client=x redis.hosts=h redis.\"x\".hosts=h                     |",
            "redis-bulkhead.redis-client=x redis.hosts=h redis.x.timeout=1                       |",
            "redis-bulkhead.redis-client=x redis.hosts=h redis.x.tcp.cork=1                      |",
            "redis-bulkhead.redis-client=x redis.hosts=h redis.x.devservices.enabled=1           |",
            "redis-bulkhead.redis-client=x.y redis.hosts=h redis.\"x.y\".hosts=${X_HOSTS}        |",
            "redis-bulkhead.redis-client=x redis.hosts=h                                         | x",
            "redis-bulkhead.redis-client=x                                                       | y",
            "redis-bulkhead.redis-client=x redis.devservices.enabled=false                       |",
            "redis-bulkhead.redis-client=x redis.bulkhead.command-timeout=1s                     |",
            "redis.other.hosts=h                                                                 |",
            "redis-bulkhead.redis-client=<default> redis.other.hosts=h                           |",
            "redis-bulkhead.redis-client=x redis.other.hosts=h redis-bulkhead.store=local        |" })
    void acceptsOtherClients(String properties, String asked) {
        assertThat(mistakes(Mapped.properties(properties), asked == null ? Set.of() : Set.of(asked), true)).isEmpty();
    }

    @Test
    void clientOfAnotherProfileIsKnown() {
        assertThat(mistakes(Map.of("quarkus.redis-bulkhead.redis-client", "x", "quarkus.redis.hosts", "h",
                "%prod.quarkus.redis.x.hosts", "h"), Set.of(), true)).isEmpty();
    }

    private static List<ValidationError> mistakes(Map<String, String> properties, Set<String> asked, boolean http) {
        return errors(properties, asked, http).all();
    }

    private static ValidationErrors errors(Map<String, String> properties, Set<String> asked, boolean http) {
        SmallRyeConfig config = new SmallRyeConfigBuilder().addDefaultInterceptors()
                .withMapping(RedisBulkheadBuildTimeConfig.class)
                .withMappingIgnore("quarkus.**")
                .withSources(new PropertiesConfigSource(new HashMap<>(properties), "test", 100))
                .build();
        BulkheadUsage usage = new BulkheadUsage(List.of(), List.of(), List.of(), null, List.of(), null, null, null, asked);
        ValidationErrors errors = new ValidationErrors();
        Rule.all(config, config.getConfigMapping(RedisBulkheadBuildTimeConfig.class), http, false).stream()
                .filter(BuildConfigurationRule.class::isInstance).forEach(rule -> rule.check(usage, errors));
        return errors;
    }
}
