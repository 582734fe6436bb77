package io.quarkiverse.redisbulkhead.runtime.tracing;

import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.runtime.BulkheadRegistry;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.CallListener;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.CallResult;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.HeldPermit;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.SemaphoreListener;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadRuntimeConfig;
import io.quarkiverse.redisbulkhead.runtime.message.Texts;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;

/**
 * Makes the way from the request to the permit a span, below the span of the caller. It is never the current span: what
 * runs with the permit is a child of the caller's span, too. Without a span of the caller, none is made.
 */
@Singleton
public class CallSpans implements SemaphoreListener {

    static final AttributeKey<String> BULKHEAD = AttributeKey.stringKey("redis_bulkhead.name");
    static final AttributeKey<String> KEY = AttributeKey.stringKey("redis_bulkhead.key");
    static final AttributeKey<String> RESULT = AttributeKey.stringKey("redis_bulkhead.result");
    static final AttributeKey<Long> WAITED = AttributeKey.longKey("redis_bulkhead.waited_ms");
    static final AttributeKey<Long> TOKEN = AttributeKey.longKey("redis_bulkhead.fencing_token");
    static final AttributeKey<String> METHOD = AttributeKey.stringKey("redis_bulkhead.method");

    private static final String TRACER = "io.quarkiverse.redisbulkhead";
    private static final String NAME = "redis-bulkhead acquire ";
    // Code may compute the names of locks and undeclared bulkheads, and backends keep each name of a span.
    private static final String NAME_OF_OTHERS = NAME + "other";

    private static final Map<CallResult, String> RESULTS = Arrays.stream(CallResult.values())
            .collect(Collectors.toMap(result -> result, Texts::label));

    private final Tracer tracer;
    private final boolean keyAttribute;
    // Of declared bulkheads.
    private final Map<String, String> spanNames;

    /**
     * Makes no span yet.
     *
     * @param openTelemetry makes them
     * @param bulkheads knows which names are declared
     * @param config says whether keys are an attribute
     */
    @Inject
    public CallSpans(OpenTelemetry openTelemetry, BulkheadRegistry bulkheads, RedisBulkheadRuntimeConfig config) {
        this.tracer = openTelemetry.getTracer(TRACER);
        this.keyAttribute = config.tracing().keyAttribute();
        this.spanNames = bulkheads.names().stream().collect(Collectors.toMap(name -> name, NAME::concat));
    }

    @Override
    public void lost(PermitLost loss) {
        // By then the span has ended.
    }

    @Override
    public CallListener onCall(BulkheadId bulkhead, String method, int weight) {
        Context caller = Context.current();
        return Span.fromContext(caller).getSpanContext().isValid() ? new Call(caller, bulkhead, method) : CallListener.NONE;
    }

    private final class Call implements CallListener {

        private final Context caller;
        private final BulkheadId bulkhead;
        private final String method;
        private Span span;
        private long begunAt;

        private Call(Context caller, BulkheadId bulkhead, String method) {
            this.caller = caller;
            this.bulkhead = bulkhead;
            this.method = method;
        }

        @Override
        public void requested() {
            span = tracer.spanBuilder(spanNames.getOrDefault(bulkhead.name(), NAME_OF_OTHERS)).setParent(caller)
                    .setAttribute(BULKHEAD, bulkhead.name()).setAttribute(METHOD, method).startSpan();
            if (keyAttribute) {
                bulkhead.key().ifPresent(key -> span.setAttribute(KEY, key));
            }
            begunAt = System.nanoTime();
        }

        @Override
        public void waiting() {
            span.addEvent("waits");
        }

        @Override
        public void acquired(CallResult result, HeldPermit permit) {
            long token = permit.fencingToken();
            if (token != 0) {
                span.setAttribute(TOKEN, token);
            }
            end(result);
        }

        @Override
        public void rejected(CallResult result) {
            if (result == CallResult.UNAVAILABLE || result == CallResult.CONTENDED) {
                span.setStatus(StatusCode.ERROR);
            }
            end(result);
        }

        private void end(CallResult result) {
            span.setAttribute(RESULT, RESULTS.get(result))
                    .setAttribute(WAITED, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begunAt)).end();
        }
    }
}
