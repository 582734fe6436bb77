package io.quarkiverse.redisbulkhead.deployment.behaviour;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import jakarta.inject.Singleton;

import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.data.SpanData;

/** The spans that have ended. */
@Singleton
public class Spans implements SpanProcessor {

    private final List<SpanData> ended = new CopyOnWriteArrayList<>();

    List<SpanData> ended() {
        return ended;
    }

    List<SpanData> named(String name) {
        return ended.stream().filter(span -> span.getName().equals(name)).toList();
    }

    void forget() {
        ended.clear();
    }

    @Override
    public void onStart(Context parent, ReadWriteSpan span) {
        // Only ended spans are recorded.
    }

    @Override
    public boolean isStartRequired() {
        return false;
    }

    @Override
    public void onEnd(ReadableSpan span) {
        ended.add(span.toSpanData());
    }

    @Override
    public boolean isEndRequired() {
        return true;
    }
}
