package io.quarkiverse.redisbulkhead.behaviour;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.vertx.core.Vertx;

/** Calls on an event loop, where nothing may block. */
final class EventLoopCalls {

    private EventLoopCalls() {
    }

    /** Makes the calls, and returns the failures by the names of the calls. */
    static Map<String, Throwable> failures(Vertx vertx, Map<String, Runnable> calls) throws Exception {
        CompletableFuture<Map<String, Throwable>> done = new CompletableFuture<>();
        vertx.runOnContext(now -> {
            Map<String, Throwable> failures = new LinkedHashMap<>();
            calls.forEach((method, call) -> {
                try {
                    call.run();
                } catch (Throwable e) {
                    failures.put(method, e);
                }
            });
            done.complete(failures);
        });
        return done.get(20, TimeUnit.SECONDS);
    }
}
