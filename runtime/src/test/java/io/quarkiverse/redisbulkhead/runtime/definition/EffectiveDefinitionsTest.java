package io.quarkiverse.redisbulkhead.runtime.definition;

import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.eclipse.microprofile.config.spi.ConfigSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.redisbulkhead.OnLost;
import io.quarkiverse.redisbulkhead.OnOutage;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadRuntimeConfig;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.BulkheadDeclaration;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.DefinedInCode;
import io.quarkiverse.redisbulkhead.runtime.definition.EffectiveDefinitions.EffectiveBulkhead;
import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;
import io.quarkus.runtime.configuration.ConfigurationException;
import io.quarkus.runtime.configuration.DurationConverter;
import io.smallrye.config.EnvConfigSource;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfig;
import io.smallrye.config.SmallRyeConfigBuilder;

class EffectiveDefinitionsTest {

    static final BulkheadDeclaration REPORTS = Annotated.bulkhead("Reports#render", "reports", 5, 1, false, "30s", "2s");
    static final BulkheadDeclaration OPEN = named("Open#call", "a.b c");

    private static BulkheadDeclaration named(String location, String name) {
        return Annotated.bulkhead(location, name, RedisBulkhead.PERMITS_UNSET, 1, null, null, null);
    }

    @Test
    void annotationAppliesWithoutConfiguration() {
        assertThat(settings(Map.of(), REPORTS).get("reports"))
                .isEqualTo(new EffectiveBulkhead(
                        SemaphoreSpec.named("reports").permits(5).maxWait(Duration.ofSeconds(2)).build(), true));
    }

    /** The other annotations of a bulkhead need only its name. */
    @Test
    void placesThatStateNothingAgree() {
        BulkheadDeclaration whole = Annotated.bulkhead("Reports#render", "reports", 5, 1, true, "10s", "2s");
        SemaphoreSpec spec = SemaphoreSpec.named("reports").permits(5).fair(true).expire(Duration.ofSeconds(10))
                .maxWait(Duration.ofSeconds(2)).build();
        assertThat(settings(Map.of(), named("Reports#again", "reports"), whole, named("Reports#third", "reports"))
                .get("reports").spec()).isEqualTo(spec);
        BulkheadDeclaration fair = Annotated.bulkhead("Reports#fair", "reports", RedisBulkhead.PERMITS_UNSET, 1, true,
                null,
                null);
        assertThat(settings(Map.of("reports.permits", "3"), named("Reports#again", "reports"), fair).get("reports").spec())
                .as("one place states the order, the configuration the permits")
                .isEqualTo(SemaphoreSpec.named("reports").permits(3).fair(true).build());
    }

    @Test
    void waitsOfPlacesMayDiffer() {
        BulkheadDeclaration batch = Annotated.bulkhead("Reports#batch", "reports", 5, 1, null, null, "30s");
        assertThat(settings(Map.of(), REPORTS, batch).get("reports").spec().maxWait()).as("of places that state none").isZero();
        assertThat(settings(Map.of("reports.max-wait", "1s"), REPORTS, batch).get("reports").spec().maxWait()).hasSeconds(1);
    }

    @Test
    void conflictsShowWhatDiffersAtThreePlaces() {
        BulkheadDeclaration[] places = IntStream.range(1, 6).mapToObj(
                i -> Annotated.bulkhead("Reports#r" + i, "reports", i, 1, null, "30s", i + "s"))
                .toArray(BulkheadDeclaration[]::new);
        assertThatThrownBy(() -> settings(Map.of(), places)).hasMessageContaining("Found 1 mistake ").hasMessageContaining(
                "RBH007 @RedisBulkhead(name = \"reports\"): has different values: permits=1 at Reports#r1; permits=2 at"
                        + " Reports#r2; permits=3 at Reports#r3; and 2 more. State each value in one place");
    }

    @Test
    void eachPropertyOfABulkheadIsApplied() {
        Map<String, String> all = Map.ofEntries(Map.entry("enabled", "true"), Map.entry("permits", "7"),
                Map.entry("weight", "2"), Map.entry("fair", "true"), Map.entry("expire", "2m"), Map.entry("max-wait", "3s"),
                Map.entry("max-hold", "1h"), Map.entry("min-hold", "4s"), Map.entry("keep-idle", "6s"),
                Map.entry("on-lost", "interrupt"),
                Map.entry("warn-after", "8m"), Map.entry("on-full", "reject"), Map.entry("on-outage", "allow"),
                Map.entry("local-permits", "3"),
                Map.entry("max-waiters", "9"), Map.entry("await-release", "true"), Map.entry("rest.retry-after", "5s"));
        assertThat(all).containsOnlyKeys(KnownProperties.OF_BULKHEAD);
        Map<String, String> configured = new HashMap<>();
        all.forEach((member, value) -> configured.put("reports." + member, value));
        assertThat(settings(configured, REPORTS).get("reports"))
                .isEqualTo(new EffectiveBulkhead(SemaphoreSpec.named("reports").permits(7).weight(2).fair(true)
                        .expire(Duration.ofMinutes(2)).maxWait(Duration.ofSeconds(3)).maxHold(Duration.ofHours(1))
                        .minHold(Duration.ofSeconds(4)).keepIdle(Duration.ofSeconds(6)).onLost(OnLost.INTERRUPT)
                        .onOutage(OnOutage.ALLOW).localPermits(3)
                        .maxWaiters(9).awaitRelease(true).build(), true));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "reports.max-wait=0s                                       | maxWait=PT0S",
            "on-outage=local                                           | onOutage=LOCAL",
            "on-outage=local reports.on-outage=allow                   | onOutage=ALLOW",
            "instances=1                                               | awaitRelease=false",
            "await-release=true                                        | awaitRelease=true",
            "await-release=true reports.await-release=false            | awaitRelease=false",
            "keep-idle=5s                                              | keepIdle=PT5S",
            "keep-idle=5s reports.permits=1                            | keepIdle=PT0S",
            "keep-idle=5s reports.permits=1 reports.keep-idle=2s       | keepIdle=PT2S",
            "reports.keep-idle=0                                       | keepIdle=PT0S",
            "reports.permits=6 instances=1                             | localPermits=6",
            "reports.permits=7 instances=2                             | localPermits=3",
            "reports.permits=6 instances=6                             | localPermits=1",
            "reports.permits=6 instances=7                             | localPermits=1",
            "reports.permits=1 instances=2147483647                    | localPermits=1",
            "on-outage=local reports.permits=1 reports.local-permits=1 | onOutage=LOCAL, localPermits=1",
            "reports.permits=2147483647 instances=1                    | localPermits=2147483647" })
    void configurationInForce(String properties, String value) {
        assertThat(settings(pairs(properties), REPORTS).get("reports").spec().toString()).contains(value);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "instances=1                                                 | orders    | acquireTimeout=PT10S, lockTimeout=PT30S",
            "lock.acquire-timeout=1s lock.lock-timeout=2s                | any       | acquireTimeout=PT1S, lockTimeout=PT2S",
            "lock.lock-timeout=2s lock.\"of.orders\".lock-timeout=4s     | of.orders | lockTimeout=PT4S, fair=false",
            "lock.lock-timeout=2s lock.\"of.orders\".fair=true           | of.orders | lockTimeout=PT2S, fair=true",
            "lock.acquire-timeout=1s lock.jobs.acquire-timeout=0s        | jobs      | acquireTimeout=PT0S",
            "jobs.fair=true reports.fair=true                            | reports   | fair=false",
            "lock.jobs.min-hold=30s                                      | jobs      | minHold=PT30S",
            "lock.jobs.min-hold=30s                                      | orders    | minHold=PT0S",
            "await-release=true                                          | archive   | awaitRelease=true",
            "keep-idle=5s lock.jobs.keep-idle=2s                         | jobs      | keepIdle=PT2S",
            "keep-idle=5s lock.jobs.keep-idle=2s                         | orders    | keepIdle=PT0S" })
    void configurationOfLocksInForce(String properties, String lock, String value) {
        Map<String, String> configured = pairs(properties + " command-timeout=500ms");
        assertThat(read(true, new DefinedInCode(true, List.of()), file(configured), REPORTS).lock(lock).toString())
                .contains(value);
    }

    private static Map<String, String> pairs(String properties) {
        return Stream.of(properties.split(" ")).map(pair -> pair.split("=")).collect(toMap(pair -> pair[0], pair -> pair[1]));
    }

    @Test
    void globalKeepIdleAppliesToKeysWithMoreThanOnePermit() {
        SemaphoreSpec one = settings(Map.of("keep-idle", "5s", "reports.permits", "1"), REPORTS).get("reports").spec();
        assertThat(one.toBuilder().permits(2).build().keepIdle()).hasSeconds(5);
    }

    @Test
    void configuredWeightOverridesTheAnnotations() {
        BulkheadDeclaration heavy = Annotated.bulkhead("Reports#all", "reports", 5, 3, false, "30s", "2s");
        assertThat(settings(Map.of(), heavy).get("reports").spec().weight()).isEqualTo(3);
        assertThat(settings(Map.of(), REPORTS, heavy).get("reports").spec().weight()).as("if annotations differ").isEqualTo(1);
        assertThat(settings(Map.of("reports.weight", "2"), REPORTS, heavy).get("reports").spec().weight()).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(strings = { "0", "-4" })
    void invalidPermitsAreOneErrorAndDoNotHideOthers(String permits) {
        assertThatThrownBy(
                () -> settings(Map.of("\"reports\".permits", permits, "instances", "2", "on-outage", "local"), REPORTS))
                .isInstanceOf(ConfigurationException.class)
                .hasMessage("Found 1 mistake in the use or configuration of @RedisBulkhead:\n"
                        + "  1. RBH005 quarkus.redis-bulkhead.\"reports\".permits: permits must be at least 1, but is "
                        + permits
                        + "\n" + MessageCode.whereExplained(Set.of(MessageCode.RBH005)));
        assertThatThrownBy(() -> settings(
                Map.of("\"reports\".permits", permits, "\"reports\".max-wait", "PT-1S", "instances", "0"), REPORTS))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("Found 3 mistakes ");
    }

    @Test
    void missingPermitsAreOneErrorAndDoNotHideOthers() {
        assertThatThrownBy(() -> settings(Map.of("instances", "2"), OPEN)).hasMessageContaining("Found 1 mistake ")
                .hasMessageContaining("RBH006 Open#call: @RedisBulkhead(name = \"a.b c\"): permits is not set");
        assertThatThrownBy(() -> settings(Map.of("\"a.b c\".local-permits", "0"), OPEN))
                .hasMessageContaining("Found 2 mistakes ")
                .hasMessageContaining("RBH006 Open#call: @RedisBulkhead(name = \"a.b c\"): permits is not set")
                .hasMessageContaining("quarkus.redis-bulkhead.\"a.b c\".local-permits: localPermits must be at least 1");
    }

    @Test
    void localStoreNeedsNeitherLongLeasesNorLocalLimits() {
        assertThat(read(false, DefinedInCode.NONE,
                file(Map.of("reports.expire", "1ms", "on-outage", "local", "instances", "9")), REPORTS).bulkheads())
                .containsOnlyKeys("reports");
    }

    @Test
    void configurationOfUndeclaredBulkheadIsRefused() {
        assertThatThrownBy(() -> settings(Map.of("report.fair", "true"), REPORTS)).hasMessageContaining("Found 1 mistake ")
                .hasMessageContaining(
                        "RBH025 quarkus.redis-bulkhead.report.fair: no @RedisBulkhead has the name \"report\". Did "
                                + "you mean \"reports\"? Declared: reports.");
        assertThat(settings(Map.of("other-test.permits", "3"), REPORTS)).as("declared in another build")
                .containsOnlyKeys("reports");
    }

    @Test
    void environmentVariableOfANameBeyondAscii() {
        BulkheadDeclaration smiling = Annotated.bulkhead("Reports#render", "a\uD83D\uDE00", 5, 1, false, "30s", "2s");
        assertThat(read(true, DefinedInCode.NONE, new EnvConfigSource(Map.of("QUARKUS_REDIS_BULKHEAD__A____PERMITS", "7"), 300),
                smiling).bulkheads().get("a\uD83D\uDE00").spec().permits()).as("two characters of Java").isEqualTo(7);
    }

    @ParameterizedTest
    @CsvSource(quoteCharacter = '\'', value = {
            "REPORT_PERMITS, REPORT, ' Did you mean QUARKUS_REDIS_BULKHEAD_REPORTS_PERMITS?'",
            "_REPORT__MAX_WAIT, REPORT, ' Did you mean QUARKUS_REDIS_BULKHEAD__REPORTS__MAX_WAIT?'",
            "OF_ANOTHER_APPLICATION_LOCAL_PERMITS, OF_ANOTHER_APPLICATION, ''" })
    void environmentVariableOfAnUnknownBulkheadIsRefused(String end, String name, String hint) {
        String variable = "QUARKUS_REDIS_BULKHEAD_" + end;
        assertThatThrownBy(() -> read(true, DefinedInCode.NONE, new EnvConfigSource(Map.of(variable, "1"), 300), REPORTS))
                .hasMessageContaining("RBH025 " + variable + ": " + name
                        + " in the environment variable matches no declared bulkhead." + hint
                        + " Declared: reports. Nor does any class");
        assertThat(
                warnings(new DefinedInCode(true, List.of()), new EnvConfigSource(Map.of(variable, "1"), 300)))
                .singleElement().asString().startsWith("RBH025 " + variable)
                .contains(hint + " Declared: reports. It is used if")
                .endsWith(MessageCode.RBH025.whereExplained());
        assertThat(warnings(new DefinedInCode(true, List.of(name.toLowerCase(Locale.ROOT).replace('_', ' '))),
                new EnvConfigSource(Map.of(variable, "1"), 300))).isEmpty();
    }

    @Test
    void metricsNamesMustExist() {
        assertThat(settings(Map.of("metrics.names", "reports, lock:any,other-eu"), REPORTS)).containsOnlyKeys("reports");
        assertThatThrownBy(() -> settings(Map.of("metrics.names", "lock:any,report"), REPORTS))
                .hasMessageContaining("Found 1 mistake ")
                .hasMessageContaining("RBH025 quarkus.redis-bulkhead.metrics.names: no @RedisBulkhead has the name \"report\"."
                        + " Did you mean \"reports\"? Declared: reports. Nor does any class of the application use"
                        + " SemaphoreSpec to define bulkheads in code. For a lock of this name, write \"lock:report\"");
        assertThat(warnings(new DefinedInCode(true, List.of("imports")), file(Map.of("metrics.names", "imports")))).isEmpty();
    }

    /** As in YAML lists. */
    @Test
    void indexedPropertiesAreListElements() {
        assertThat(settings(Map.of("metrics.names[0]", "reports", "metrics.names[1]", "lock:any"), REPORTS))
                .containsOnlyKeys("reports");
        assertThatThrownBy(() -> settings(Map.of("metrics.names[0]", "reports", "metrics.names[1]", "report"), REPORTS))
                .hasMessageContaining(
                        "RBH025 quarkus.redis-bulkhead.metrics.names[1]: no @RedisBulkhead has the name \"report\"");
        assertThatThrownBy(() -> settings(Map.of("metrics.key-tag[0]", "true"), REPORTS))
                .hasMessageContaining("RBH028 quarkus.redis-bulkhead.metrics.key-tag[0]");
    }

    /** Configuration of bulkheads defined in code is checked at startup. */
    @Test
    void configurationOfBulkheadsInCodeIsChecked() {
        DefinedInCode inCode = new DefinedInCode(true, List.of("imports", "orders of " + Declarations.OPEN));
        assertThatThrownBy(() -> read(true, inCode, file(Map.of("imports.permits", "0")), REPORTS))
                .hasMessageContaining("RBH005 quarkus.redis-bulkhead.imports.permits: permits must be at least 1, but is 0");
        assertThatThrownBy(() -> read(true, inCode, file(Map.of("\"orders of acme\".permitz", "3")), REPORTS))
                .hasMessageContaining(
                        "RBH028 quarkus.redis-bulkhead.\"orders of acme\".permitz: there is no such property. Did you mean"
                                + " quarkus.redis-bulkhead.\"orders of acme\".permits?");
        assertThatThrownBy(() -> read(true, inCode, file(Map.of("imports.permits", "3", "\"imports\".permits", "4")), REPORTS))
                .hasMessageContaining("RBH032 quarkus.redis-bulkhead.\"imports\".permits and");
        assertThat(warnings(inCode, file(Map.of("imports.permits", "3")))).isEmpty();
    }

    private static ConfigSource file(Map<String, String> properties) {
        Map<String, String> full = new HashMap<>();
        properties.forEach((key, value) -> full.put("quarkus.redis-bulkhead." + key, value));
        return new PropertiesConfigSource(full, "test", 100);
    }

    /** A variable may match several properties; only bulkhead names can be unknown. */
    @ParameterizedTest
    @ValueSource(strings = { "REPORTS_PERMITS", "_REPORTS__PERMITS", "REPORTS_LOCAL_PERMITS", "ENABLED", "ON_OUTAGE",
            "MANAGEMENT_ENABLED", "LOCK_STORE_STEP_TIMEOUT", "LOCK_DAILY_FAIR", "LOCK__DAILY__MIN_HOLD", "OTHER_EU_PERMITS",
            "_OTHER_EU__PERMITS", "WHATEVER", "SERVICE_HOST", "PORT_6379_TCP_ADDR" })
    void otherEnvironmentVariablesAreAccepted(String end) {
        assertThat(warnings(DefinedInCode.NONE, new EnvConfigSource(
                Map.of("QUARKUS_REDIS_BULKHEAD_" + end, end.equals("ON_OUTAGE") ? "allow" : "1"), 300))).isEmpty();
    }

    /** This is how Kubernetes sets them. */
    @ParameterizedTest
    @CsvSource({ "_REPORTS__PERMIT, _REPORTS__PERMITS", "REPORTS_MAXWAIT, REPORTS_MAX_WAIT", "COMAND_TIMEOUT, COMMAND_TIMEOUT",
            "ON_OUTTAGE, ON_OUTAGE", "LOCK_LOCK_TIMEOUTS, LOCK_LOCK_TIMEOUT" })
    void misspelledEnvironmentVariableIsAWarning(String end, String meant) {
        assertThat(warnings(DefinedInCode.NONE, new EnvConfigSource(Map.of("QUARKUS_REDIS_BULKHEAD_" + end, "1"), 300)))
                .containsExactly("RBH028 QUARKUS_REDIS_BULKHEAD_" + end + ": it has no effect, as there is no such property."
                        + " Did you mean QUARKUS_REDIS_BULKHEAD_" + meant + "? " + MessageCode.RBH028.whereExplained());
    }

    /** SmallRye Config does not map this variable, so it does not report the error. */
    @Test
    void unresolvableValueIsRefused() {
        BulkheadDeclaration daily = Annotated.bulkhead("Reports#daily", "daily-reports", 5, 1, false, "30s", "2s");
        Map<String, String> environment = Map.of("QUARKUS_REDIS_BULKHEAD_DAILY_REPORTS_PERMITS", "${app.permits}");
        assertThatThrownBy(() -> read(true, DefinedInCode.NONE, new EnvConfigSource(environment, 300), daily))
                .hasMessageContaining("Found 1 mistake ")
                .hasMessageContaining(
                        "RBH026 quarkus.redis-bulkhead.daily-reports.permits: the value '${app.permits}' refers to a "
                                + "property that is not set. Set it, or provide a default, as in ${property:default}");
    }

    private static Map<String, EffectiveBulkhead> settings(Map<String, String> properties,
            BulkheadDeclaration... declarations) {
        return read(true, DefinedInCode.NONE, file(properties), declarations).bulkheads();
    }

    private static List<String> warnings(DefinedInCode inCode, ConfigSource source) {
        ValidationErrors errors = new ValidationErrors();
        new EffectiveDefinitions(declarations(inCode, REPORTS), config(source), true, false, errors);
        errors.throwIfAny();
        return errors.warnings();
    }

    private static EffectiveDefinitions read(boolean inRedis, DefinedInCode inCode, ConfigSource source,
            BulkheadDeclaration... declarations) {
        ValidationErrors errors = new ValidationErrors();
        EffectiveDefinitions definitions = new EffectiveDefinitions(declarations(inCode, declarations), config(source),
                inRedis, false, errors);
        errors.throwIfAny();
        return definitions;
    }

    private static Declarations declarations(DefinedInCode inCode, BulkheadDeclaration... bulkheads) {
        return new Declarations(List.of(bulkheads), List.of("other-${profile}"), List.of(), inCode);
    }

    private static SmallRyeConfig config(ConfigSource source) {
        return new SmallRyeConfigBuilder().addDefaultInterceptors()
                .withConverter(Duration.class, 1_000, new DurationConverter())
                .withMapping(RedisBulkheadRuntimeConfig.class)
                // As in Quarkus.
                .withMappingIgnore("quarkus.**")
                .withSources(source)
                .build();
    }
}
