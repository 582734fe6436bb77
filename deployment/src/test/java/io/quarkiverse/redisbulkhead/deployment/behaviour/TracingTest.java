package io.quarkiverse.redisbulkhead.deployment.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.BulkheadKey;
import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkiverse.redisbulkhead.deployment.OptionalExtensions;
import io.quarkiverse.redisbulkhead.testredis.Caller;
import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Uni;

/** Acquiring a permit is its own span; all other spans keep their parents. */
class TracingTest {

    private static final Duration LONG = Duration.ofSeconds(20);

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(
                    jar -> jar.addClasses(OptionalExtensions.class, Guarded.class, Spans.class))
            .setForcedDependencies(OptionalExtensions.of(OptionalExtensions.TRACING))
            .overrideConfigKey("quarkus.otel.traces.exporter", "none")
            // A busy machine may delay replies from Redis.
            .overrideRuntimeConfigKey("quarkus.redis-bulkhead.command-timeout", "10s");

    @Inject
    Guarded guarded;

    @Inject
    RedisBulkheads bulkheads;

    @Inject
    RedisDataSource redis;

    @Inject
    Tracer tracer;

    @Inject
    Spans spans;

    @BeforeEach
    void forget() {
        spans.forget();
    }

    @ParameterizedTest
    @ValueSource(strings = { "blocking", "uni" })
    void accepted(String kind) throws Exception {
        SpanData caller = traced(() -> kind.equals("uni") ? guarded.uni().await().atMost(LONG) : guarded.blocking());

        SpanData acquire = acquire(kind);
        assertThat(acquire.getParentSpanId()).isEqualTo(caller.getSpanId());
        assertThat(acquire.getTraceId()).isEqualTo(caller.getTraceId());
        assertThat(acquire.getKind()).isEqualTo(SpanKind.INTERNAL);
        assertThat(acquire.getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
        assertThat(text(acquire, "redis_bulkhead.name")).isEqualTo(kind);
        assertThat(text(acquire, "redis_bulkhead.result")).isEqualTo("accepted");
        assertThat(text(acquire, "redis_bulkhead.method")).isEqualTo("Guarded#" + kind);
        assertThat(number(acquire, "redis_bulkhead.fencing_token")).isPositive();
        assertThat(number(acquire, "redis_bulkhead.waited_ms")).isNotNegative();
        assertThat(acquire.getEvents()).isEmpty();
        assertThat(spans.named("inside").get(0).getParentSpanId()).isEqualTo(caller.getSpanId());
        assertThat(spans.ended()).as("no other spans").hasSize(3);
    }

    @Test
    void waiting() throws Exception {
        RedisSemaphore semaphore = bulkheads.semaphore("waiting");
        Caller<SpanData> caller;
        try (Permit taken = semaphore.acquire(LONG)) {
            caller = Caller.of(() -> traced(guarded::waiting));
            // Not when it is in line: a permit that comes back before Redis has answered serves a call that has not waited.
            await().atMost(LONG).pollDelay(Duration.ZERO).until(() -> spans.hasEvent("waits"));
            assertThat(semaphore.status().waiting()).isEqualTo(1);
            assertThat(spans.ended()).as("no span for an untraced caller").isEmpty();
        }
        SpanData parent = caller.result();

        SpanData acquire = acquire("waiting");
        assertThat(acquire.getParentSpanId()).isEqualTo(parent.getSpanId());
        assertThat(acquire.getEvents()).singleElement().satisfies(event -> assertThat(event.getName()).isEqualTo("waits"));
        assertThat(number(acquire, "redis_bulkhead.waited_ms"))
                .isLessThanOrEqualTo(
                        Duration.ofNanos(acquire.getEndEpochNanos() - acquire.getStartEpochNanos()).toMillis() + 1);
        assertThat(spans.named("inside").get(0).getParentSpanId()).isEqualTo(parent.getSpanId());
        assertThat(spans.ended()).as("no polls").hasSize(3);
    }

    /** A rejection by a full bulkhead is not an error. */
    @Test
    void rejected() throws Exception {
        SpanData caller;
        try (Permit taken = bulkheads.semaphore("blocking").acquire(LONG)) {
            caller = traced(() -> {
                assertThatThrownBy(guarded::blocking).isInstanceOf(BulkheadFullException.class);
                return null;
            });
        }

        SpanData acquire = acquire("blocking");
        assertThat(acquire.getParentSpanId()).isEqualTo(caller.getSpanId());
        assertThat(text(acquire, "redis_bulkhead.result")).isEqualTo("full");
        assertThat(acquire.getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
        assertThat(number(acquire, "redis_bulkhead.fencing_token")).isNull();
    }

    /** The second permit is requested on a thread without the caller's context. */
    @Test
    void severalBulkheads() throws Exception {
        SpanData caller = traced(guarded::severalBulkheads);

        assertThat(List.of(acquire("first"), acquire("second")))
                .allSatisfy(acquire -> assertThat(acquire.getParentSpanId()).isEqualTo(caller.getSpanId()));
    }

    @Test
    void omitsKeys() throws Exception {
        traced(() -> guarded.search("acme"));

        SpanData acquire = acquire("tenants");
        assertThat(acquire.getAttributes().asMap().toString()).doesNotContain("acme");
    }

    @Test
    void createsNoSpanWithoutATrace() {
        guarded.search("acme");

        assertThat(spans.ended().stream().map(SpanData::getName)).containsExactly("inside");
    }

    /** Traces omit only the commands of bulkheads. */
    @Test
    void tracesCommandsOfTheApplication() throws Exception {
        traced(() -> redis.key().exists("any"));

        await().atMost(LONG).until(() -> spans.ended().size() == 2);
        assertThat(spans.ended().stream().filter(span -> span.getKind() == SpanKind.CLIENT)).hasSize(1);
    }

    private SpanData traced(Callable<?> call) throws Exception {
        Span span = tracer.spanBuilder("caller").startSpan();
        try (Scope scope = span.makeCurrent()) {
            call.call();
        } finally {
            span.end();
        }
        return spans.named("caller").get(0);
    }

    private SpanData acquire(String bulkhead) {
        List<SpanData> found = spans.named("redis-bulkhead acquire " + bulkhead);
        assertThat(found).hasSize(1);
        return found.get(0);
    }

    private static String text(SpanData span, String attribute) {
        return span.getAttributes().get(AttributeKey.stringKey(attribute));
    }

    private static Long number(SpanData span, String attribute) {
        return span.getAttributes().get(AttributeKey.longKey(attribute));
    }

    @ApplicationScoped
    public static class Guarded {
        @Inject
        Tracer tracer;

        @RedisBulkhead(name = "blocking", permits = 1)
        String blocking() {
            return inside();
        }

        @RedisBulkhead(name = "uni", permits = 1)
        Uni<String> uni() {
            return Uni.createFrom().item(this::inside);
        }

        @RedisBulkhead(name = "waiting", permits = 1, maxWait = "20s")
        String waiting() {
            return inside();
        }

        @RedisBulkhead(name = "first", permits = 1)
        @RedisBulkhead(name = "second", permits = 1)
        String severalBulkheads() {
            return inside();
        }

        @RedisBulkhead(name = "tenants", permits = 1)
        String search(@BulkheadKey String tenant) {
            return inside();
        }

        private String inside() {
            tracer.spanBuilder("inside").startSpan().end();
            return "inside";
        }
    }
}
