package io.quarkiverse.redisbulkhead.benchmarks;

import java.util.Map;

import io.quarkiverse.redisbulkhead.benchmarks.redis.RedisServerProcess;
import io.quarkus.test.common.QuarkusTestResourceLifecycleManager;

/** The server of the application that these tests share. */
public class RedisOfApplication implements QuarkusTestResourceLifecycleManager {

    private RedisServerProcess server;

    @Override
    public Map<String, String> start() {
        try {
            server = RedisServerProcess.start();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        return Map.of("quarkus.redis.hosts", server.url());
    }

    @Override
    public void stop() {
        server.close();
    }
}
