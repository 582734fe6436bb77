package io.quarkiverse.redisbulkhead.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadBuildTimeConfig;
import io.quarkus.redis.deployment.client.RequestedRedisClientBuildItem;
import io.quarkus.redis.runtime.client.config.RedisConfig;

/** The extension requests a Redis client only if the store is in Redis. */
class RedisClientRequestTest {

    @Test
    void requestsTheDefaultClient() {
        assertThat(requested(Map.of())).containsExactly(RedisConfig.DEFAULT_CLIENT_NAME);
    }

    @Test
    void requestsTheNamedClient() {
        assertThat(requested(Map.of("quarkus.redis-bulkhead.redis-client", "permits"))).containsExactly("permits");
    }

    @Test
    void requestsNoClientWithTheLocalStore() {
        assertThat(requested(Map.of("quarkus.redis-bulkhead.store", "local", "quarkus.redis-bulkhead.redis-client", "permits")))
                .isEmpty();
    }

    private static List<String> requested(Map<String, String> properties) {
        List<RequestedRedisClientBuildItem> clients = new ArrayList<>();
        new RedisBulkheadProcessor().redisClient(Mapped.config(RedisBulkheadBuildTimeConfig.class, properties), clients::add);
        return clients.stream().map(client -> client.name).toList();
    }
}
