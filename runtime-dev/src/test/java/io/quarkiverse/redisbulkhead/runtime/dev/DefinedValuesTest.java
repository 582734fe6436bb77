package io.quarkiverse.redisbulkhead.runtime.dev;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadRuntimeConfig;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.BulkheadDeclaration;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.BulkheadUse;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.DefinedInCode;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.KeyOrigin;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.MethodDeclaration;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.ReturnKind;
import io.quarkiverse.redisbulkhead.runtime.definition.EffectiveDefinitions;
import io.quarkiverse.redisbulkhead.runtime.definition.ValidationErrors;
import io.quarkus.runtime.LaunchMode;
import io.quarkus.runtime.configuration.DurationConverter;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfig;
import io.smallrye.config.SmallRyeConfigBuilder;
import io.vertx.core.json.JsonObject;

class DefinedValuesTest {

    static final Declarations DECLARATIONS = declarations(
            guarded("B", "again",
                    annotated("B#again", "${app.name}", Map.of())),
            guarded("A", "first", annotated("A#first", "reports", Map.of("permits", "5", "fair", "true", "expire", "3500ms"))),
            guarded("C", "other", annotated("C#other", "another", Map.of("permits", "1"))));

    private static BulkheadDeclaration annotated(String location, String name, Map<String, String> values) {
        return new BulkheadDeclaration(location, name, values, Optional.empty());
    }

    private static Declarations declarations(MethodDeclaration... methods) {
        return new Declarations(Stream.of(methods).map(method -> method.bulkheads().get(0).annotation()).toList(), List.of(),
                List.of(methods), DefinedInCode.NONE);
    }

    private static MethodDeclaration guarded(String type, String method, BulkheadDeclaration bulkhead) {
        return guarded(type, method, new BulkheadUse(bulkhead, new KeyOrigin.None(), BulkheadUse.NO_PARAMETER));
    }

    private static MethodDeclaration guarded(String type, String method, BulkheadUse use) {
        String place = type + "#" + method;
        return new MethodDeclaration(type, method, List.of(), ReturnKind.SYNCHRONOUS, false, place, place, List.of(use));
    }

    private static List<JsonObject> reports(Map<String, String> properties) {
        return reports(properties, DECLARATIONS);
    }

    private static List<JsonObject> reports(Map<String, String> properties, Declarations declarations) {
        SmallRyeConfig config = new SmallRyeConfigBuilder().addDefaultInterceptors()
                .withConverter(Duration.class, 1_000, new DurationConverter())
                .withMapping(RedisBulkheadRuntimeConfig.class)
                .withSources(new PropertiesConfigSource(Map.of("app.name", "reports"), "application", 90),
                        new PropertiesConfigSource(properties, "test", 100))
                .build();
        ValidationErrors errors = new ValidationErrors();
        EffectiveDefinitions definitions = new EffectiveDefinitions(declarations, config, false, false, errors);
        errors.throwIfAny();
        return new DefinedValues(definitions).of("reports");
    }

    private static JsonObject value(String member, String value, String source, String where) {
        return new JsonObject(Map.of("member", member, "value", value, "source", source, "where", where));
    }

    private static Map<String, JsonObject> byMember(List<JsonObject> values) {
        return values.stream().collect(Collectors.toMap(value -> value.getString("member"), value -> value));
    }

    @Test
    void eachValueHasItsSource() {
        List<JsonObject> reports = reports(Map.of("quarkus.redis-bulkhead.on-outage", "allow",
                "quarkus.redis-bulkhead.reports.max-wait", "2s", "quarkus.redis-bulkhead.reports.max-hold", "5m"));

        assertThat(reports).containsExactlyInAnyOrder(
                value("permits", "5", "annotation", "A#first"),
                value("weight", "1", "default", ""),
                value("fair", "true", "annotation", "A#first"),
                value("expire", "3500ms", "annotation", "A#first"),
                value("max-wait", "2s", "configuration", "quarkus.redis-bulkhead.reports.max-wait"),
                value("max-hold", "300s", "configuration", "quarkus.redis-bulkhead.reports.max-hold"),
                value("min-hold", "0s", "default", ""),
                value("keep-idle", "1s", "default", ""),
                value("warn-after", "", "default", ""),
                value("on-lost", "report", "default", ""),
                value("on-full", "scheduled runs are skipped, other calls rejected", "default", ""),
                value("on-outage", "allow", "configuration", "quarkus.redis-bulkhead.on-outage"),
                value("local-permits", "5", "default", ""),
                value("max-waiters", "", "default", ""),
                value("await-release", "false", "default", ""),
                value("rest.retry-after", "estimate", "default", ""),
                value("enabled", "true", "default", ""));
    }

    @Test
    void warnAfterHasADefaultInDevMode() {
        LaunchMode before = LaunchMode.current();
        LaunchMode.set(LaunchMode.DEVELOPMENT);
        try {
            assertThat(byMember(reports(Map.of())).get("warn-after"))
                    .isEqualTo(value("warn-after", "600s", "default", ""));
            assertThat(byMember(reports(Map.of("quarkus.redis-bulkhead.reports.warn-after", "0s"))).get("warn-after")
                    .getString("value"))
                    .isEmpty();
        } finally {
            LaunchMode.set(before);
        }
    }

    @ParameterizedTest
    @CsvSource({ "permits, 7", "weight, 2", "fair, false", "expire, 10s", "min-hold, 1500ms", "keep-idle, 2s",
            "on-lost, interrupt", "on-full, skip", "on-outage, local", "local-permits, 2", "max-waiters, 0",
            "await-release, true", "rest.retry-after, none", "enabled, true" })
    void configurationOfTheBulkheadWins(String member, String value) {
        String property = "quarkus.redis-bulkhead.reports." + member;
        Map<String, JsonObject> values = byMember(reports(Map.of(property, value, "quarkus.redis-bulkhead.on-outage", "allow",
                "quarkus.redis-bulkhead.keep-idle", "5s", "quarkus.redis-bulkhead.rest.retry-after", "9s")));

        assertThat(values.get(member)).isEqualTo(value(member, value, "configuration", property));
        assertThat(values.get("max-wait").getString("source")).isEqualTo("default");
    }

    /** A policy for all bulkheads that does not suit this one. */
    @Test
    void fewerPermitsThanInstancesRejectUnderLocalForAll() {
        assertThat(onOutage(Map.of("quarkus.redis-bulkhead.on-outage", "local", "quarkus.redis-bulkhead.instances", "6")))
                .isEqualTo(value("on-outage", "reject", "configuration", "quarkus.redis-bulkhead.instances"));
        assertThat(onOutage(Map.of("quarkus.redis-bulkhead.on-outage", "local", "quarkus.redis-bulkhead.instances", "6",
                "quarkus.redis-bulkhead.reports.local-permits", "1")).getString("value")).isEqualTo("local");
        assertThat(onOutage(Map.of("quarkus.redis-bulkhead.on-outage", "local", "quarkus.redis-bulkhead.instances", "5"))
                .getString("value")).isEqualTo("local");
    }

    private static JsonObject onOutage(Map<String, String> properties) {
        return byMember(reports(properties)).get("on-outage");
    }

    @Test
    void weightsAndWaitsThatDifferHaveTheirPlaces() {
        Map<String, JsonObject> values = byMember(reports(Map.of(), declarations(
                guarded("A", "first",
                        annotated("A#first", "reports",
                                Map.of("permits", "5", "weight", "2", "fair", "true", "max-wait", "1s"))),
                guarded("B", "again", new BulkheadUse(
                        annotated("B#again", "reports", Map.of()),
                        new KeyOrigin.None(), 0)))));

        assertThat(values.get("weight"))
                .isEqualTo(value("weight", "2, of the call", "annotation", "A#first, B#again"));
        assertThat(values.get("max-wait")).isEqualTo(value("max-wait", "1s", "annotation", "A#first"));
    }

    @ParameterizedTest
    @CsvSource({ "instances, 2, local-permits, 2", "enabled, false, enabled, false",
            "rest.retry-after, 90s, rest.retry-after, 90s",
            "keep-idle, 5s, keep-idle, 5s" })
    void globalPropertiesAreSources(String property, String value, String member, String shown) {
        assertThat(byMember(reports(Map.of("quarkus.redis-bulkhead." + property, value))).get(member))
                .isEqualTo(value(member, shown, "configuration", "quarkus.redis-bulkhead." + property));
    }

    @Test
    void keepIdleOfAllBulkheadsIsNoSourceForOnePermit() {
        assertThat(byMember(reports(Map.of("quarkus.redis-bulkhead.keep-idle", "5s",
                "quarkus.redis-bulkhead.reports.permits", "1"))).get("keep-idle"))
                .isEqualTo(value("keep-idle", "0s", "default", ""));
    }
}
