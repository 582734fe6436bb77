package io.quarkiverse.redisbulkhead.benchmarks;

import java.util.Map;

import io.quarkiverse.redisbulkhead.benchmarks.redis.RedisServerProcess;
import io.quarkus.test.common.QuarkusTestResourceLifecycleManager;

/** The server of the application that these tests share, and fewer permits than it has. */
public class RedisOfApplication implements QuarkusTestResourceLifecycleManager {

    /** One, because few asynchronous callers run at once: there are as many event loops as cores, or twice as many. */
    public static final int PERMITS = 1;

    private RedisServerProcess server;

    @Override
    public Map<String, String> start() {
        try {
            server = RedisServerProcess.start();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        String permits = Integer.toString(PERMITS);
        return Map.of("quarkus.redis.hosts", server.url(), "quarkus.redis-bulkhead.tight.permits", permits,
                "quarkus.redis-bulkhead.tight-fair.permits", permits,
                "quarkus.redis-bulkhead.tight-returning.permits", permits,
                "quarkus.redis-bulkhead.tight-fair-returning.permits", permits);
    }

    @Override
    public void stop() {
        server.close();
    }
}
