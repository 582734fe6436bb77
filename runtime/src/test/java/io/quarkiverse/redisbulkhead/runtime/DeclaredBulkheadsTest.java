package io.quarkiverse.redisbulkhead.runtime;

import static io.quarkiverse.redisbulkhead.runtime.overview.DeclaredBulkhead.DefinedValue.Source.ANNOTATION;
import static io.quarkiverse.redisbulkhead.runtime.overview.DeclaredBulkhead.DefinedValue.Source.CONFIGURATION;
import static io.quarkiverse.redisbulkhead.runtime.overview.DeclaredBulkhead.DefinedValue.Source.DEFAULT;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.OnOutage;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadRuntimeConfig;
import io.quarkiverse.redisbulkhead.runtime.definition.Annotated;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.BulkheadDeclaration;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.BulkheadUse;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.DefinedInCode;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.KeyOrigin;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.MethodDeclaration;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.ReturnKind;
import io.quarkiverse.redisbulkhead.runtime.definition.EffectiveDefinitions;
import io.quarkiverse.redisbulkhead.runtime.definition.ValidationErrors;
import io.quarkiverse.redisbulkhead.runtime.overview.DeclaredBulkhead;
import io.quarkiverse.redisbulkhead.runtime.overview.DeclaredBulkhead.DefinedValue;
import io.quarkus.runtime.LaunchMode;
import io.quarkus.runtime.configuration.DurationConverter;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfig;
import io.smallrye.config.SmallRyeConfigBuilder;

class DeclaredBulkheadsTest {

    static final Declarations DECLARATIONS = declarations(
            guarded("B", "again",
                    Annotated.bulkhead("B#again", "${app.name}", RedisBulkhead.PERMITS_UNSET, 1, null, null, null)),
            guarded("A", "first", Annotated.bulkhead("A#first", "reports", 5, 1, true, "3500ms", null)),
            guarded("C", "other", Annotated.bulkhead("C#other", "another", 1, 1, null, null, null)));

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

    private static DeclaredBulkhead reports(Map<String, String> properties) {
        return reports(properties, DECLARATIONS);
    }

    private static DeclaredBulkhead reports(Map<String, String> properties, Declarations declarations) {
        SmallRyeConfig config = new SmallRyeConfigBuilder().addDefaultInterceptors()
                .withConverter(Duration.class, 1_000, new DurationConverter())
                .withMapping(RedisBulkheadRuntimeConfig.class)
                .withSources(new PropertiesConfigSource(Map.of("app.name", "reports"), "application", 90),
                        new PropertiesConfigSource(properties, "test", 100))
                .build();
        ValidationErrors errors = new ValidationErrors();
        EffectiveDefinitions definitions = new EffectiveDefinitions(declarations, config, false, false, errors);
        errors.report();
        return new DeclaredBulkheads(definitions).of("reports");
    }

    private static Map<String, DefinedValue> byMember(DeclaredBulkhead bulkhead) {
        return bulkhead.values().stream().collect(Collectors.toMap(DefinedValue::member, value -> value));
    }

    @Test
    void eachValueHasItsSource() {
        DeclaredBulkhead reports = reports(Map.of("quarkus.redis-bulkhead.on-outage", "allow",
                "quarkus.redis-bulkhead.reports.max-wait", "2s", "quarkus.redis-bulkhead.reports.max-hold", "5m"));

        assertThat(reports.places()).containsExactly("A#first", "B#again");
        assertThat(reports.methods()).containsExactly("A#first", "B#again");
        assertThat(reports.values()).containsExactly(
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
        DeclaredBulkhead reports = reports(Map.of("quarkus.redis-bulkhead.on-outage", "local",
                "quarkus.redis-bulkhead.instances", "6"));

        assertThat(reports.spec().onOutage()).isEqualTo(OnOutage.REJECT);
        assertThat(byMember(reports).get("on-outage"))
                .isEqualTo(new DefinedValue("on-outage", "reject", CONFIGURATION, "quarkus.redis-bulkhead.instances"));
        assertThat(reports(Map.of("quarkus.redis-bulkhead.on-outage", "local", "quarkus.redis-bulkhead.instances", "6",
                "quarkus.redis-bulkhead.reports.local-permits", "1")).spec().onOutage()).isEqualTo(OnOutage.LOCAL);
        assertThat(reports(Map.of("quarkus.redis-bulkhead.on-outage", "local", "quarkus.redis-bulkhead.instances", "5"))
                .spec().onOutage()).isEqualTo(OnOutage.LOCAL);
    }

    @Test
    void weightsAndWaitsThatDifferHaveTheirPlaces() {
        Map<String, DefinedValue> values = byMember(reports(Map.of(), declarations(
                guarded("A", "first", Annotated.bulkhead("A#first", "reports", 5, 2, true, null, "1s")),
                guarded("B", "again", new BulkheadUse(
                        Annotated.bulkhead("B#again", "reports", RedisBulkhead.PERMITS_UNSET, 1, null, null, null),
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
