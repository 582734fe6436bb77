package io.quarkiverse.redisbulkhead.runtime.dev;

import static io.quarkiverse.redisbulkhead.runtime.dev.DefinedValues.DefinedValue.Source.ANNOTATION;
import static io.quarkiverse.redisbulkhead.runtime.dev.DefinedValues.DefinedValue.Source.CONFIGURATION;
import static io.quarkiverse.redisbulkhead.runtime.dev.DefinedValues.DefinedValue.Source.DEFAULT;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

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
import io.quarkiverse.redisbulkhead.runtime.dev.DefinedValues.DefinedValue;
import io.quarkus.runtime.LaunchMode;
import io.quarkus.runtime.configuration.DurationConverter;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfig;
import io.smallrye.config.SmallRyeConfigBuilder;

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

    private static List<DefinedValue> reports(Map<String, String> properties) {
        return reports(properties, DECLARATIONS);
    }

    private static List<DefinedValue> reports(Map<String, String> properties, Declarations declarations) {
        SmallRyeConfig config = new SmallRyeConfigBuilder().addDefaultInterceptors()
                .withConverter(Duration.class, 1_000, new DurationConverter())
                .withMapping(RedisBulkheadRuntimeConfig.class)
                .withSources(new PropertiesConfigSource(Map.of("app.name", "reports"), "application", 90),
                        new PropertiesConfigSource(properties, "test", 100))
                .build();
        ValidationErrors errors = new ValidationErrors();
        EffectiveDefinitions definitions = new EffectiveDefinitions(declarations, config, false, false, errors);
        errors.report();
        return new DefinedValues(definitions).of("reports");
    }

    private static Map<String, DefinedValue> byMember(List<DefinedValue> values) {
        return values.stream().collect(Collectors.toMap(DefinedValue::member, value -> value));
    }

    @Test
    void eachValueHasItsSource() {
        List<DefinedValue> reports = reports(Map.of("quarkus.redis-bulkhead.on-outage", "allow",
                "quarkus.redis-bulkhead.reports.max-wait", "2s", "quarkus.redis-bulkhead.reports.max-hold", "5m"));

        assertThat(reports).containsExactly(
                new DefinedValue("permits", "5", ANNOTATION, "A#first"),
                new DefinedValue("weight", "1", DEFAULT, ""),
                new DefinedValue("fair", "true", ANNOTATION, "A#first"),
                new DefinedValue("expire", "3500ms", ANNOTATION, "A#first"),
                new DefinedValue("max-wait", "2s", CONFIGURATION, "quarkus.redis-bulkhead.reports.max-wait"),
                new DefinedValue("max-hold", "300s", CONFIGURATION, "quarkus.redis-bulkhead.reports.max-hold"),
                new DefinedValue("min-hold", "0s", DEFAULT, ""),
                new DefinedValue("keep-idle", "1s", DEFAULT, ""),
                new DefinedValue("warn-after", "", DEFAULT, ""),
                new DefinedValue("on-lost", "report", DEFAULT, ""),
                new DefinedValue("on-full", "scheduled runs are skipped, other calls rejected", DEFAULT, ""),
                new DefinedValue("on-outage", "allow", CONFIGURATION, "quarkus.redis-bulkhead.on-outage"),
                new DefinedValue("local-permits", "5", DEFAULT, ""),
                new DefinedValue("max-waiters", "", DEFAULT, ""),
                new DefinedValue("await-release", "false", DEFAULT, ""),
                new DefinedValue("rest.retry-after", "estimate", DEFAULT, ""),
                new DefinedValue("enabled", "true", DEFAULT, ""));
    }

    @Test
    void warnAfterHasADefaultInDevMode() {
        LaunchMode before = LaunchMode.current();
        LaunchMode.set(LaunchMode.DEVELOPMENT);
        try {
            assertThat(byMember(reports(Map.of())).get("warn-after"))
                    .isEqualTo(new DefinedValue("warn-after", "600s", DEFAULT, ""));
            assertThat(byMember(reports(Map.of("quarkus.redis-bulkhead.reports.warn-after", "0s"))).get("warn-after").value())
                    .isEmpty();
        } finally {
            LaunchMode.set(before);
        }
    }

    @Test
    void configurationOfTheBulkheadWins() {
        Map<String, DefinedValue> values = byMember(reports(values("quarkus.redis-bulkhead.reports.permits", "7",
                "quarkus.redis-bulkhead.reports.weight", "2",
                "quarkus.redis-bulkhead.reports.fair", "false", "quarkus.redis-bulkhead.reports.expire", "10s",
                "quarkus.redis-bulkhead.reports.on-lost", "interrupt", "quarkus.redis-bulkhead.reports.on-outage", "local",
                "quarkus.redis-bulkhead.reports.local-permits", "2", "quarkus.redis-bulkhead.reports.max-waiters", "0",
                "quarkus.redis-bulkhead.reports.on-full", "skip", "quarkus.redis-bulkhead.reports.enabled", "true",
                "quarkus.redis-bulkhead.reports.rest.retry-after", "none",
                "quarkus.redis-bulkhead.reports.await-release", "true",
                "quarkus.redis-bulkhead.on-outage", "allow")));

        assertThat(values.get("max-wait").source()).isEqualTo(DEFAULT);
        assertThat(byMember(reports(Map.of("quarkus.redis-bulkhead.reports.min-hold", "1500ms"))).get("min-hold")).isEqualTo(
                new DefinedValue("min-hold", "1500ms", CONFIGURATION, "quarkus.redis-bulkhead.reports.min-hold"));
        Set.of("permits", "weight", "fair", "expire", "on-lost", "on-outage", "local-permits", "max-waiters", "await-release",
                "rest.retry-after", "on-full", "enabled")
                .forEach(member -> assertThat(
                        values.get(member)).satisfies(value -> {
                            assertThat(value.source()).isEqualTo(CONFIGURATION);
                            assertThat(value.where()).isEqualTo("quarkus.redis-bulkhead.reports." + member);
                        }));
        assertThat(values.get("weight").value()).as("in place of those of the methods").isEqualTo("2");
        assertThat(values.get("expire").value()).isEqualTo("10s");
        assertThat(values.get("on-outage").value()).isEqualTo("local");
        assertThat(values.get("max-waiters").value()).isEqualTo("0");
        assertThat(values.get("rest.retry-after").value()).isEqualTo("none");
        assertThat(values.get("on-full").value()).isEqualTo("skip");
    }

    /** A policy for all bulkheads that does not suit this one. */
    @Test
    void fewerPermitsThanInstancesRejectUnderLocalForAll() {
        assertThat(onOutage(Map.of("quarkus.redis-bulkhead.on-outage", "local", "quarkus.redis-bulkhead.instances", "6")))
                .isEqualTo(new DefinedValue("on-outage", "reject", CONFIGURATION, "quarkus.redis-bulkhead.instances"));
        assertThat(onOutage(Map.of("quarkus.redis-bulkhead.on-outage", "local", "quarkus.redis-bulkhead.instances", "6",
                "quarkus.redis-bulkhead.reports.local-permits", "1")).value()).isEqualTo("local");
        assertThat(onOutage(Map.of("quarkus.redis-bulkhead.on-outage", "local", "quarkus.redis-bulkhead.instances", "5"))
                .value()).isEqualTo("local");
    }

    private static DefinedValue onOutage(Map<String, String> properties) {
        return byMember(reports(properties)).get("on-outage");
    }

    @Test
    void weightsAndWaitsThatDifferHaveTheirPlaces() {
        Map<String, DefinedValue> values = byMember(reports(Map.of(), declarations(
                guarded("A", "first",
                        annotated("A#first", "reports",
                                Map.of("permits", "5", "weight", "2", "fair", "true", "max-wait", "1s"))),
                guarded("B", "again", new BulkheadUse(
                        annotated("B#again", "reports", Map.of()),
                        new KeyOrigin.None(), 0)))));

        assertThat(values.get("weight"))
                .isEqualTo(new DefinedValue("weight", "2, of the call", ANNOTATION, "A#first, B#again"));
        assertThat(values.get("max-wait")).isEqualTo(new DefinedValue("max-wait", "1s", ANNOTATION, "A#first"));
    }

    @Test
    void globalPropertiesAreSources() {
        Map<String, DefinedValue> values = byMember(
                reports(Map.of("quarkus.redis-bulkhead.instances", "2", "quarkus.redis-bulkhead.enabled", "false",
                        "quarkus.redis-bulkhead.rest.retry-after", "90s")));

        assertThat(values.get("local-permits"))
                .isEqualTo(new DefinedValue("local-permits", "2", CONFIGURATION, "quarkus.redis-bulkhead.instances"));
        assertThat(values.get("enabled"))
                .isEqualTo(new DefinedValue("enabled", "false", CONFIGURATION, "quarkus.redis-bulkhead.enabled"));
        assertThat(values.get("rest.retry-after"))
                .isEqualTo(new DefinedValue("rest.retry-after", "90s", CONFIGURATION,
                        "quarkus.redis-bulkhead.rest.retry-after"));
    }

    @Test
    void keepIdleOfAllBulkheadsIsASourceWhereItApplies() {
        assertThat(byMember(reports(Map.of("quarkus.redis-bulkhead.keep-idle", "5s"))).get("keep-idle"))
                .isEqualTo(new DefinedValue("keep-idle", "5s", CONFIGURATION, "quarkus.redis-bulkhead.keep-idle"));
        assertThat(byMember(reports(Map.of("quarkus.redis-bulkhead.keep-idle", "5s",
                "quarkus.redis-bulkhead.reports.permits", "1"))).get("keep-idle"))
                .isEqualTo(new DefinedValue("keep-idle", "0s", DEFAULT, ""));
        assertThat(byMember(reports(Map.of("quarkus.redis-bulkhead.reports.keep-idle", "1500ms",
                "quarkus.redis-bulkhead.reports.permits", "1"))).get("keep-idle")).isEqualTo(new DefinedValue("keep-idle",
                        "1500ms", CONFIGURATION, "quarkus.redis-bulkhead.reports.keep-idle"));
    }

    /** More pairs than Map.of accepts. */
    private static Map<String, String> values(String... pairs) {
        Map<String, String> values = new HashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            values.put(pairs[i], pairs[i + 1]);
        }
        return values;
    }
}
