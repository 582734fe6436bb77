package io.quarkiverse.redisbulkhead.runtime.definition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.LockSpec;
import io.quarkiverse.redisbulkhead.OnLost;
import io.quarkiverse.redisbulkhead.OnOutage;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadRuntimeConfig;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.DefinedInCode;
import io.quarkiverse.redisbulkhead.runtime.definition.EffectiveDefinitions.EffectiveBulkhead;
import io.quarkiverse.redisbulkhead.runtime.store.redis.LoggedWarnings;
import io.quarkus.runtime.configuration.ConfigurationException;
import io.quarkus.runtime.configuration.DurationConverter;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;

class CodeDefinitionsTest {

    static final SemaphoreSpec IMPORTS = SemaphoreSpec.named("imports").permits(5).build();
    static final SemaphoreSpec REPORTS = SemaphoreSpec.named("reports").permits(5).build();

    final Map<String, String> properties = new HashMap<>();

    @Test
    void specAppliesWithoutConfiguration() {
        SemaphoreSpec full = IMPORTS.toBuilder().weight(2).fair(true).expire(Duration.ofSeconds(9)).onOutage(OnOutage.LOCAL)
                .localPermits(3).maxWaiters(7).awaitRelease(true).build();
        properties.put("keep-idle", "5s");
        properties.put("on-outage", "allow");
        properties.put("instances", "5");

        assertThat(define(bulkheads(), full)).isEqualTo(new EffectiveBulkhead(full, true));
    }

    @Test
    void configurationOverridesTheSpec() {
        properties.putAll(Map.of("imports.permits", "3", "imports.weight", "2", "imports.fair", "true", "imports.expire", "2m",
                "imports.max-wait", "4s", "imports.max-hold", "1h", "imports.min-hold", "1s", "imports.on-lost", "interrupt",
                "imports.on-outage", "local", "imports.local-permits", "2"));
        properties.putAll(Map.of("imports.keep-idle", "3s", "imports.max-waiters", "9", "imports.await-release", "true",
                "imports.enabled", "false"));

        assertThat(define(bulkheads(), IMPORTS)).isEqualTo(new EffectiveBulkhead(SemaphoreSpec.named("imports").permits(3)
                .weight(2).fair(true).expire(Duration.ofMinutes(2)).maxWait(Duration.ofSeconds(4)).maxHold(Duration.ofHours(1))
                .minHold(Duration.ofSeconds(1)).keepIdle(Duration.ofSeconds(3)).onLost(OnLost.INTERRUPT)
                .onOutage(OnOutage.LOCAL).localPermits(2).maxWaiters(9).awaitRelease(true).build(), false));
    }

    @Test
    void configurationCapsLocalPermitsAndDisablesAll() {
        properties.put("imports.permits", "2");

        assertThat(define(bulkheads(), IMPORTS.toBuilder().localPermits(4).build()).spec().localPermits()).isEqualTo(2);
        assertThat(define(bulkheads(), IMPORTS).spec().localPermits()).isEqualTo(2);
        assertThat(define(bulkheads(), IMPORTS).enabled()).isTrue();
        properties.put("enabled", "false");
        assertThat(define(bulkheads(), IMPORTS).enabled()).isFalse();
        // An annotation may omit the permits.
        assertThat(define(bulkheads(), SemaphoreSpec.named("open").permits(7).build()).spec().permits()).isEqualTo(4);
    }

    @Test
    void inconsistentValuesAreRefused() {
        properties.putAll(Map.of("imports.permits", "2", "short.expire", "1s", "wide.local-permits", "6"));
        CodeDefinitions bulkheads = bulkheads();

        assertThatThrownBy(() -> define(bulkheads, IMPORTS.toBuilder().weight(3).build()))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("RBH005 quarkus.redis-bulkhead.\"imports\".*: weight must not be more than the permits");
        assertThatThrownBy(() -> define(bulkheads, SemaphoreSpec.named("short").permits(1).build()))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("RBH023 quarkus.redis-bulkhead.short.expire: expire is PT1S, shorter than three times");
        assertThatThrownBy(() -> define(bulkheads, SemaphoreSpec.named("wide").permits(5).build()))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("RBH024 quarkus.redis-bulkhead.wide.local-permits: localPermits must not be more");
    }

    @Test
    void nameThatCannotBeConfiguredIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> define(bulkheads(), SemaphoreSpec.named("rest").permits(1).build()))
                .withMessage("RBH008 Bulkhead 'rest' in the SemaphoreSpec of Jobs#run cannot be configured, because"
                        + " quarkus.redis-bulkhead.rest is a property of the extension. Use another name, such as"
                        + " \"rest-calls\". See "
                        + "https://docs.quarkiverse.io/quarkus-redis-bulkhead/dev/errors.html#RBH008");
    }

    @Test
    @DisplayName("Trap 44: code defines another limit than an annotation of the same process")
    void specContradictingAnAnnotationIsRefused() {
        CodeDefinitions bulkheads = bulkheads();

        assertThatIllegalArgumentException().isThrownBy(() -> define(bulkheads, REPORTS.toBuilder().permits(7).build()))
                .withMessage("RBH035 Bulkhead 'reports' has different values: permits=5, fair=false in the annotation of"
                        + " Reports#render; permits=7, fair=false in the SemaphoreSpec of Jobs#run. Use the same values, or get"
                        + " the bulkhead with semaphore(\"reports\"). For another limit, use another name, or"
                        + " RedisSemaphore.resize. See "
                        + "https://docs.quarkiverse.io/quarkus-redis-bulkhead/dev/errors.html#RBH035");
        assertThatIllegalArgumentException().isThrownBy(() -> define(bulkheads, REPORTS.toBuilder().fair(true).build()))
                .withMessageContaining("permits=5, fair=true in the SemaphoreSpec of Jobs#run");
        SemaphoreSpec otherLease = REPORTS.toBuilder().expire(Duration.ofMinutes(2)).maxWait(Duration.ofSeconds(1)).build();
        assertThat(define(bulkheads, otherLease).spec()).isEqualTo(otherLease);
    }

    @Test
    @DisplayName("Trap 44: code defines another limit than other code of the same process")
    void contradictingSpecsAreRefused() {
        CodeDefinitions bulkheads = bulkheads();
        bulkheads.define(IMPORTS, () -> "Imports#first");

        assertThatIllegalArgumentException().isThrownBy(() -> define(bulkheads, IMPORTS.toBuilder().permits(7).build()))
                .withMessage("RBH035 Bulkhead 'imports' has different values: permits=5, fair=false in the SemaphoreSpec of"
                        + " Imports#first; permits=7, fair=false in the SemaphoreSpec of Jobs#run. Use the same values. For"
                        + " another limit, use another name, or RedisSemaphore.resize. See "
                        + "https://docs.quarkiverse.io/quarkus-redis-bulkhead/dev/errors.html#RBH035");
        assertThatIllegalArgumentException().isThrownBy(() -> define(bulkheads, IMPORTS.toBuilder().fair(true).build()));
        SemaphoreSpec otherLease = IMPORTS.toBuilder().expire(Duration.ofMinutes(2)).build();
        assertThat(define(bulkheads, otherLease).spec()).isEqualTo(otherLease);
        assertThat(define(bulkheads, IMPORTS).spec()).isEqualTo(IMPORTS);
    }

    /** Each call goes by the configured values, whatever code states. */
    @Test
    void onlyValuesInForceAreCompared() {
        properties.putAll(Map.of("imports.permits", "9", "imports.fair", "true", "reports.permits", "9"));
        CodeDefinitions bulkheads = bulkheads();
        SemaphoreSpec inForce = define(bulkheads, IMPORTS).spec();

        assertThat(define(bulkheads, inForce.toBuilder().maxHold(Duration.ofHours(1)).build()).spec().permits()).isEqualTo(9);
        assertThat(define(bulkheads, REPORTS.toBuilder().permits(7).build()).spec().permits()).isEqualTo(9);
        assertThatIllegalArgumentException().as("whose order is not configured")
                .isThrownBy(() -> define(bulkheads, REPORTS.toBuilder().fair(true).build()));
    }

    /** Trap 21: names may be generated. */
    @Test
    void numberOfListedNamesIsBounded() {
        CodeDefinitions bulkheads = bulkheads();
        define(bulkheads, REPORTS);
        define(bulkheads, IMPORTS);
        for (int i = 0; i < 1_000; i++) {
            define(bulkheads, SemaphoreSpec.named("order-" + i).permits(1).build());
            define(bulkheads, SemaphoreSpec.named("used").permits(1).build());
        }
        define(bulkheads, REPORTS);
        assertThat(bulkheads.listed()).as("the last names, without those of annotations").hasSize(CodeDefinitions.MOST_LISTED)
                .contains("used", "order-901", "order-999").doesNotContain("order-900", "reports");
        assertThat(bulkheads.inForce("order-2")).isPresent();
        assertThat(bulkheads.inForce("imports")).isEmpty();
        SemaphoreSpec forgotten = IMPORTS.toBuilder().permits(7).build();
        assertThat(define(bulkheads, forgotten).spec()).isEqualTo(forgotten);
    }

    /** The share of an instance has one lease. */
    @Test
    void differentLeasesOfOneNameAreAWarningThatNamesTheDefinitions() {
        CodeDefinitions bulkheads = bulkheads();
        try (LoggedWarnings warnings = new LoggedWarnings(CodeDefinitions.class)) {
            for (int i = 0; i < 3; i++) {
                define(bulkheads, REPORTS);
                define(bulkheads, REPORTS.toBuilder().expire(Duration.ofSeconds(9)).build());
                lock(bulkheads, Duration.ofSeconds(30));
            }
            assertThat(warnings.texts()).singleElement().asString().contains("Bulkhead 'reports' has different leases")
                    .contains("expire=PT30S in the annotation of Reports#render")
                    .contains("expire=PT9S in the SemaphoreSpec of Jobs#run");

            lock(bulkheads, Duration.ofSeconds(5));
            lock(bulkheads, Duration.ofSeconds(6));

            assertThat(warnings.texts()).hasSize(2).last().asString().contains("Lock 'orders'")
                    .contains("lockTimeout=PT30S in the LockSpec of Jobs#run", "lockTimeout=PT5S");
        }
        // Operators see locks as such, and not as bulkheads that code defines.
        assertThat(bulkheads.inForce("lock:orders")).isEmpty();
        assertThat(bulkheads.listed()).isEmpty();
        assertThat(bulkheads.lease("lock:orders")).isEqualTo(Duration.ofSeconds(30));
    }

    private static void lock(CodeDefinitions bulkheads, Duration lockTimeout) {
        bulkheads.define(LockSpec.named("orders").lockTimeout(lockTimeout).build(), () -> "Jobs#run");
    }

    private static EffectiveBulkhead define(CodeDefinitions bulkheads, SemaphoreSpec spec) {
        return bulkheads.define(spec, () -> "Jobs#run");
    }

    private CodeDefinitions bulkheads() {
        Map<String, String> full = new HashMap<>(Map.of("quarkus.redis-bulkhead.open.permits", "4"));
        properties.forEach((name, value) -> full.put("quarkus.redis-bulkhead." + name, value));
        Declarations declarations = new Declarations(
                List.of(Annotated.bulkhead("Reports#render", "reports", 5, 1, false, "30s", "0s"),
                        Annotated.bulkhead("Open#call", "open", RedisBulkhead.PERMITS_UNSET, 1, false, "30s", "0s")),
                List.of(), List.of(), new DefinedInCode(true, List.of()));
        ValidationErrors errors = new ValidationErrors();
        EffectiveDefinitions definitions = new EffectiveDefinitions(declarations,
                new SmallRyeConfigBuilder().addDefaultInterceptors()
                        .withConverter(Duration.class, 1_000, new DurationConverter())
                        .withMapping(RedisBulkheadRuntimeConfig.class).withMappingIgnore("quarkus.**")
                        .withSources(new PropertiesConfigSource(full, "test", 100))
                        .build(),
                true, false, errors);
        errors.throwIfAny();
        return new CodeDefinitions(definitions);
    }
}
