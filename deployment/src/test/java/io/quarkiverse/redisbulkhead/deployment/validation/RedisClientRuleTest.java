package io.quarkiverse.redisbulkhead.deployment.validation;

import jakarta.inject.Singleton;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkus.test.QuarkusUnitTest;

class RedisClientRuleTest {

    @RegisterExtension
    static final QuarkusUnitTest APPLICATION = Reported.mistakes(RedisClientRuleTest.class, new Class<?>[] { Reports.class },
            "RBH022 quarkus.redis-bulkhead.redis-client: there is no Redis client 'permitz'. Did you mean 'permits'? There are"
                    + " cache, permits. Set quarkus.redis.permitz.hosts (an expression such as ${REDIS_HOSTS} is enough for the"
                    + " build), or leave redis-client out to use the default client")
            .overrideConfigKey("quarkus.redis-bulkhead.redis-client", "permitz")
            .overrideConfigKey("quarkus.redis.hosts", "redis://localhost:1")
            .overrideConfigKey("quarkus.redis.permits.hosts", "redis://localhost:2")
            .overrideConfigKey("quarkus.redis.\"cache\".hosts", "redis://localhost:3");

    @Test
    void buildFailsForUnknownRedisClients() {
        Assertions.fail();
    }

    @Singleton
    static class Reports {

        @RedisBulkhead(name = "reports", permits = 1)
        void render() {
        }
    }
}
