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

    private final List<ReadableSpan> started = new CopyOnWriteArrayList<>();
    private final List<SpanData> ended = new CopyOnWriteArrayList<>();

    /** Whether a span that has started, and may not have ended, has such an event. */
    boolean hasEvent(String name) {
        return started.stream().flatMap(span -> span.toSpanData().getEvents().stream())
                .anyMatch(event -> event.getName().equals(name));
    }

    List<SpanData> ended() {
        return ended;
    }

    List<SpanData> named(String name) {
        return ended.stream().filter(span -> span.getName().equals(name)).toList();
    }

    void forget() {
        started.clear();
        ended.clear();
    }

    @Override
    public void onStart(Context parent, ReadWriteSpan span) {
        started.add(span);
    }

    @Override
    public boolean isStartRequired() {
        return true;
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
