package io.quarkiverse.redisbulkhead.runtime;

import static io.quarkiverse.redisbulkhead.runtime.overview.DeclaredBulkhead.DefinedValue.Source.ANNOTATION;
import static io.quarkiverse.redisbulkhead.runtime.overview.DeclaredBulkhead.DefinedValue.Source.CONFIGURATION;
import static io.quarkiverse.redisbulkhead.runtime.overview.DeclaredBulkhead.DefinedValue.Source.DEFAULT;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.OnOutage;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
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
import io.quarkiverse.redisbulkhead.runtime.overview.DeclaredBulkhead;
import io.quarkiverse.redisbulkhead.runtime.overview.DeclaredBulkhead.DefinedValue;
import io.quarkus.runtime.LaunchMode;
import io.quarkus.runtime.configuration.DurationConverter;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfig;
import io.smallrye.config.SmallRyeConfigBuilder;

class DeclaredBulkheadsTest {

    static final Declarations DECLARATIONS = new Declarations(
            List.of(new BulkheadDeclaration("B#again", "${app.name}", RedisBulkhead.PERMITS_UNSET, 1, null, null, null),
                    new BulkheadDeclaration("A#first", "reports", 5, 1, true, "3500ms", null)),
            List.of(), List.of(guarded("B", "again", "${app.name}"), guarded("A", "first", "reports"),
                    guarded("C", "other", "another")),
            Map.of(), DefinedInCode.NONE);

    private static MethodDeclaration guarded(String type, String method, String bulkhead) {
        return guarded(type, method, new BulkheadUse(bulkhead, 1, null, new KeyOrigin.None(), BulkheadUse.NO_PARAMETER));
    }

    private static MethodDeclaration guarded(String type, String method, BulkheadUse use) {
        return new MethodDeclaration(type, method, List.of(), ReturnKind.SYNCHRONOUS, type + "#" + method, List.of(use));
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
        return new DeclaredBulkheads(definitions, declarations).of("reports", false);
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
        Map<String, DefinedValue> values = byMember(reports(Map.of(), new Declarations(
                List.of(new BulkheadDeclaration("A#first", "reports", 5, 2, true, null, "1s"),
                        new BulkheadDeclaration("B#again", "reports", RedisBulkhead.PERMITS_UNSET, 1, null, null, null)),
                List.of(),
                List.of(guarded("A", "first", new BulkheadUse("reports", 2, "1s", new KeyOrigin.None(),
                        BulkheadUse.NO_PARAMETER)),
                        guarded("B", "again", new BulkheadUse("reports", 1, null, new KeyOrigin.None(), 0))),
                Map.of(), DefinedInCode.NONE)));

        assertThat(values.get("weight"))
                .isEqualTo(new DefinedValue("weight", "2, of the call", ANNOTATION, "A#first, B#again"));
        assertThat(values.get("max-wait")).isEqualTo(new DefinedValue("max-wait", "1s", ANNOTATION, "A#first"));
    }
}
