package io.quarkiverse.redisbulkhead.deployment.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.logging.LogRecord;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.BulkheadKey;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.deployment.OptionalExtensions;
import io.quarkiverse.redisbulkhead.deployment.behaviour.Scrape.Sample;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.CallResult;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.SemaphoreListener;
import io.quarkiverse.redisbulkhead.runtime.message.Texts;
import io.quarkiverse.redisbulkhead.runtime.metrics.BulkheadMetrics;
import io.quarkiverse.redisbulkhead.testredis.Caller;
import io.quarkiverse.redisbulkhead.testredis.Gate;
import io.quarkus.arc.Arc;
import io.quarkus.test.QuarkusUnitTest;
import io.vertx.core.json.JsonObject;

/** The metrics that an application with Micrometer exposes to Prometheus; the dashboard queries exactly these. */
class MetricsTest {

    private static final Duration LONG = Duration.ofSeconds(20);
    private static final String CALLS = "redis_bulkhead_calls_total";

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(OptionalExtensions.class, Guarded.class,
                    Scrape.class, Sample.class))
            .setForcedDependencies(OptionalExtensions.of(OptionalExtensions.METRICS, OptionalExtensions.TRACING))
            .overrideConfigKey("quarkus.otel.traces.enabled", "false")
            .overrideConfigKey("quarkus.redis-bulkhead.metrics.cluster-interval", "100ms")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.metrics.names", "chosen-in-code, lock:chosen")
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.\"off\".enabled", "false")
            // A busy machine may delay replies from Redis.
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.command-timeout", "10s")
            .setLogRecordPredicate(record -> record.getLoggerName().startsWith("io.micrometer"))
            .assertLogRecords(records -> assertThat(records).extracting(LogRecord::getMessage)
                    .noneMatch(message -> message.contains("already been registered")));

    @Inject
    Guarded guarded;

    @Inject
    RedisBulkheads bulkheads;

    @AfterEach
    void openTheGate() {
        Gate.open();
    }

    @Test
    void acceptedAndFull() throws Exception {
        Gate.shut();
        Caller<String> caller = Caller.of(guarded::report);
        await().atMost(LONG).until(() -> Gate.inside() == 1);
        assertThatThrownBy(guarded::report).isInstanceOf(BulkheadFullException.class);

        Scrape during = Scrape.now();
        assertThat(during.value(CALLS, of("reports", "report", "result", "accepted"))).isEqualTo(1);
        assertThat(during.value(CALLS, of("reports", "report", "result", "full"))).isEqualTo(1);
        assertThat(during.value("redis_bulkhead_executions_running", of("reports", "report"))).isEqualTo(1);
        assertThat(during.value("redis_bulkhead_running_duration_seconds_count", of("reports", "report"))).isZero();
        awaitCluster("permits_in_use", "reports", 1);
        awaitCluster("permits_limit", "reports", 1);

        Gate.open();
        caller.result();
        Scrape after = Scrape.now();
        assertThat(after.value("redis_bulkhead_executions_running", of("reports", "report"))).isZero();
        assertThat(after.value("redis_bulkhead_running_duration_seconds_count", of("reports", "report"))).isEqualTo(1);
        assertThat(after.value("redis_bulkhead_waiting_duration_seconds_count", of("reports", "report"))).isEqualTo(1);
        awaitCluster("permits_in_use", "reports", 0);
    }

    /** A series that starts with its first event shows no increase. */
    @Test
    void registersAllSeriesOfDeclaredBulkheadsAtStartUp() {
        Scrape scrape = Scrape.now();
        // Disabled traces add no listener.
        assertThat(Arc.container().listAll(SemaphoreListener.class)).singleElement()
                .satisfies(listener -> assertThat(listener.getBean().getBeanClass()).isEqualTo(BulkheadMetrics.class));

        assertThat(scrape.text()).as("disabled").doesNotContain("bulkhead=\"off\"");
        assertThat(scrape.samples(CALLS, of("idle", "idle")))
                .allSatisfy(calls -> assertThat(calls.value()).isZero())
                .extracting(calls -> calls.labels().get("result"))
                .containsExactlyInAnyOrder("accepted", "bypassed", "full", "timedOut", "queueFull", "skipped", "contended",
                        "unavailable", "invalidKey", "invalidWeight", "cancelled");
        assertThat(
                scrape.samples("redis_bulkhead_permits_lost_total", "bulkhead", "idle")
                        .map(lost -> lost.labels().get("reason")))
                .containsExactlyInAnyOrder("leaseEnded", "maxHold", "revoked", "stopped", "gone");
        assertThat(scrape.value("redis_bulkhead_renewals_failed_total", "bulkhead", "idle")).isZero();
        assertThat(scrape.value("redis_bulkhead_waiting_duration_seconds_count", of("idle", "idle"))).isZero();
    }

    @Test
    void omitsKeys() {
        double before = Scrape.now().value(CALLS, of("tenants", "search", "result", "accepted"));
        guarded.search("acme-has-a-secret");

        Scrape scrape = Scrape.now();
        assertThat(scrape.value(CALLS, of("tenants", "search", "result", "accepted"))).isEqualTo(before + 1);
        assertThat(scrape.text()).doesNotContain("secret");
        assertThat(scrape.samples("redis_bulkhead_permits_in_use", "bulkhead", "tenants")).isEmpty();
    }

    @Test
    @DisplayName("Trap 40: locks and bulkheads with names made at run time share one series")
    void namesCreatedAtRunTimeShareOneSeries() {
        // The gauges of the cluster appear shortly after start-up.
        awaitCluster("permits_limit", "idle", 1);
        use("order-0");
        Scrape first = Scrape.now();
        for (int i = 1; i <= 20; i++) {
            use("order-" + i);
        }

        Scrape last = Scrape.now();
        assertThat(seriesOfBulkheads(last)).isEqualTo(seriesOfBulkheads(first));
        assertThat(last.text()).doesNotContain("order-");
        String[] shared = { "bulkhead", "other", "method", "MetricsTest#use" };
        assertThat(last.value(CALLS, "bulkhead", "other", "method", "MetricsTest#use", "result", "accepted")
                - first.value(CALLS, "bulkhead", "other", "method", "MetricsTest#use", "result", "accepted")).isEqualTo(40);
        assertThat(last.value("redis_bulkhead_executions_running", shared)).isZero();
        assertThat(last.samples("redis_bulkhead_permits_lost_total", "bulkhead", "other")).hasSize(5);
    }

    @Test
    void selectedNamesHaveTheirOwnSeries() {
        use("chosen-in-code");
        bulkheads.lock("chosen").run(() -> {
        });

        Scrape scrape = Scrape.now();
        for (String name : List.of("chosen-in-code", "lock:chosen")) {
            assertThat(scrape.samples(CALLS, "bulkhead", name, "result", "accepted")).singleElement()
                    .satisfies(calls -> assertThat(calls.value()).isEqualTo(1));
        }
    }

    private static Set<Map<String, String>> seriesOfBulkheads(Scrape scrape) {
        return scrape.samples().stream().filter(sample -> sample.labels().containsKey("bulkhead"))
                .map(sample -> {
                    Map<String, String> series = new TreeMap<>(sample.labels());
                    series.put("name", sample.name());
                    return series;
                }).collect(Collectors.toSet());
    }

    private void use(String name) {
        bulkheads.semaphore(SemaphoreSpec.named(name).permits(1).build()).run(() -> {
        });
        bulkheads.lock(name).run(() -> {
        });
    }

    /** Snake case, base units, and exactly one {@code _total} suffix on counters. */
    @Test
    void namesFollowPrometheusConventions() {
        guarded.search("any");
        // Each connection of the extension is a pool of its own, and their meters would be one: Micrometer warns.
        assertThat(Scrape.now().samples("redis_pool_queue_size", "pool_name", "redis-bulkhead")).isEmpty();
        await().atMost(LONG).until(() -> Scrape.now().text().contains("redis_bulkhead_operation_duration_seconds_count"));
        Map<String, String> types = new TreeMap<>();
        types.put("redis_bulkhead_calls_total", "counter");
        types.put("redis_bulkhead_permits_lost_total", "counter");
        types.put("redis_bulkhead_permits_leaked_total", "counter");
        types.put("redis_bulkhead_renewals_failed_total", "counter");
        for (String gauge : List.of("executions_running", "executions_waiting", "executions_weight", "permits_in_use",
                "permits_idle", "permits_limit", "waiters")) {
            types.put("redis_bulkhead_" + gauge, "gauge");
        }
        for (String timer : List.of("running", "waiting", "operation")) {
            types.put("redis_bulkhead_" + timer + "_duration_seconds", "histogram");
            types.put("redis_bulkhead_" + timer + "_duration_seconds_max", "gauge");
        }
        assertThat(Scrape.now().types()).isEqualTo(types);
        assertThat(Scrape.now().samples()).flatMap(sample -> sample.labels().keySet())
                .allMatch(label -> label.matches("[a-z]+(_[a-z]+)*"));

        // In this format, the type of a counter has no suffix.
        Map<String, String> openTypes = new TreeMap<>();
        types.forEach((name, type) -> openTypes.put(name.replaceFirst("_total$", ""), type));
        Scrape open = Scrape.openMetrics();
        assertThat(open.types()).isEqualTo(openTypes);
        assertThat(open.value(CALLS, of("idle", "idle", "result", "accepted"))).isZero();
    }

    /** All series of a metric must have the same labels, or Prometheus rejects them. */
    @Test
    void allSeriesOfAMetricHaveTheSameLabels() {
        guarded.search("any");
        Map<String, Set<Set<String>>> labels = Scrape.now().samples().stream().collect(Collectors.groupingBy(Sample::name,
                TreeMap::new, Collectors.mapping(sample -> sample.labels().keySet(), Collectors.toSet())));

        assertThat(labels).hasSizeGreaterThan(10).allSatisfy((name, sets) -> assertThat(sets).as(name).hasSize(1));
        assertThat(labels.get(CALLS)).containsExactly(Set.of("bulkhead", "method", "result"));
    }

    /** The dashboard also queries every metric. */
    @Test
    void dashboardQueriesExistingSeries() throws IOException {
        guarded.search("any");
        List<String> queries = queries();
        List<Sample> samples = Scrape.now().samples();
        Predicate<String> isThere = name -> samples.stream().anyMatch(sample -> sample.name().equals(name));

        Set<String> queried = new HashSet<>();
        for (String query : queries) {
            Set<String> names = find("redis_bulkhead_\\w+", query);
            assertThat(names).as(query).isNotEmpty().allMatch(isThere);
            queried.addAll(names);
            Set<String> known = samples.stream().filter(sample -> names.contains(sample.name()))
                    .flatMap(sample -> sample.labels().keySet().stream()).collect(Collectors.toSet());
            // Labels that a scrape adds.
            known.addAll(Set.of("application", "instance", "job"));
            assertThat(labels(query)).as(query).isNotEmpty().isSubsetOf(known);
        }
        Set<String> families = samples.stream().map(sample -> family(sample.name())).collect(Collectors.toSet());
        assertThat(queried.stream().map(MetricsTest::family)).containsAll(families);
    }

    @Test
    void dashboardShowsEachResult() throws IOException {
        String dashboard = dashboard().encode();

        for (CallResult result : CallResult.values()) {
            assertThat(dashboard).as("the color of a result").contains("\"options\":\"" + Texts.label(result) + "\"");
        }
        Set<String> inPanelsOfTheirOwn = find("result=~?\"([^\"]*)\"", String.join("\n", queries()), 1).stream()
                .flatMap(results -> Stream.of(results.split("[|]"))).collect(Collectors.toSet());
        assertThat(inPanelsOfTheirOwn).containsExactlyInAnyOrder("full", "timedOut", "queueFull", "skipped", "contended",
                "unavailable", "bypassed", "invalidKey", "invalidWeight");
    }

    private static JsonObject dashboard() throws IOException {
        return new JsonObject(Files.readString(Path.of("..", "docs", "grafana", "redis-bulkhead.json")));
    }

    private static List<String> queries() throws IOException {
        return find("\"(?:expr|query)\" *: *\"((?:[^\"\\\\]|\\\\.)*redis_bulkhead_(?:[^\"\\\\]|\\\\.)*)\"",
                dashboard().encode(),
                1)
                .stream().map(query -> query.replace("\\\"", "\"")).toList();
    }

    private static Set<String> labels(String query) {
        Set<String> labels = new HashSet<>(find("(\\w+)(?:=~|!~|!=|=)\"", query, 1));
        find("(?:by|without|on|ignoring) *\\(([^)]*)\\)", query, 1)
                .forEach(list -> labels.addAll(List.of(list.split(" *, *"))));
        find("label_values\\([^,]*(?:\\{.*})?, *(\\w+)\\)", query, 1).forEach(labels::add);
        // Of histograms.
        labels.remove("le");
        return labels;
    }

    private static Set<String> find(String pattern, String text) {
        return new HashSet<>(find(pattern, text, 0));
    }

    private static List<String> find(String pattern, String text, int group) {
        return Pattern.compile(pattern).matcher(text).results().map((MatchResult found) -> found.group(group)).toList();
    }

    private static String family(String name) {
        return name.replaceAll("_(bucket|count|sum|max)$", "");
    }

    private static String[] of(String bulkhead, String method, String... more) {
        String[] labels = new String[4 + more.length];
        labels[0] = "bulkhead";
        labels[1] = bulkhead;
        labels[2] = "method";
        labels[3] = "Guarded#" + method;
        System.arraycopy(more, 0, labels, 4, more.length);
        return labels;
    }

    private static void awaitCluster(String what, String bulkhead, double value) {
        await().atMost(LONG).pollDelay(Duration.ZERO).untilAsserted(
                () -> assertThat(Scrape.now().value("redis_bulkhead_" + what, "bulkhead", bulkhead)).isEqualTo(value));
    }

    @ApplicationScoped
    public static class Guarded {

        @RedisBulkhead(name = "reports", permits = 1)
        String report() {
            return Gate.pass();
        }

        @RedisBulkhead(name = "tenants", permits = 1)
        String search(@BulkheadKey String tenant) {
            return tenant;
        }

        @RedisBulkhead(name = "idle", permits = 1)
        void idle() {
        }

        @RedisBulkhead(name = "off", permits = 1)
        void off() {
        }
    }
}
