package io.quarkiverse.redisbulkhead.deployment.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Scope;
import io.quarkiverse.redisbulkhead.BulkheadKey;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.deployment.OptionalExtensions;
import io.quarkiverse.redisbulkhead.deployment.behaviour.Scrape.Sample;
import io.quarkus.test.QuarkusUnitTest;

/** Metrics and traces include keys if configured. */
class ObservedKeysTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(
                    jar -> jar.addClasses(OptionalExtensions.class, Guarded.class, Scrape.class, Sample.class, Spans.class))
            .setForcedDependencies(OptionalExtensions.of(OptionalExtensions.METRICS, OptionalExtensions.TRACING))
            .overrideConfigKey("quarkus.otel.traces.exporter", "none")
            .overrideConfigKey("quarkus.redis-bulkhead.metrics.cluster-interval", "0")
            .overrideConfigKey("quarkus.redis-bulkhead.metrics.key-tag", "true")
            .overrideConfigKey("quarkus.redis-bulkhead.tracing.key-attribute", "true")
            // A busy machine may delay replies from Redis.
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.command-timeout", "10s");

    @Inject
    Guarded guarded;

    @Inject
    Tracer tracer;

    @Inject
    Spans spans;

    @Test
    void inMetrics() {
        guarded.search("metrics");
        guarded.report();

        Scrape scrape = Scrape.now();
        assertThat(scrape.value("redis_bulkhead_calls_total", "bulkhead", "tenants", "key", "metrics", "result",
                "accepted")).isEqualTo(1);
        assertThat(scrape.value("redis_bulkhead_calls_total", "bulkhead", "reports", "key", "", "result", "accepted"))
                .isEqualTo(1);
        Map<String, Set<Set<String>>> labels = scrape.samples().stream().collect(Collectors.groupingBy(Sample::name,
                Collectors.mapping(sample -> sample.labels().keySet(), Collectors.toSet())));
        assertThat(labels).allSatisfy((name, sets) -> assertThat(sets).as(name).hasSize(1));
    }

    @Test
    void inTraces() {
        Span span = tracer.spanBuilder("caller").startSpan();
        try (Scope scope = span.makeCurrent()) {
            guarded.search("traces");
        } finally {
            span.end();
        }

        assertThat(spans.named("redis-bulkhead acquire tenants")).singleElement()
                .satisfies(acquire -> assertThat(acquire.getAttributes().get(AttributeKey.stringKey("redis_bulkhead.key")))
                        .isEqualTo("traces"));
    }

    @Test
    void doesNotPollTheClusterWithoutAnInterval() {
        assertThat(Scrape.now().text()).doesNotContain("redis_bulkhead_permits_in_use");
    }

    @ApplicationScoped
    public static class Guarded {
        @RedisBulkhead(name = "tenants", permits = 5)
        void search(@BulkheadKey String tenant) {
        }

        @RedisBulkhead(name = "reports", permits = 5)
        void report() {
        }
    }
}
