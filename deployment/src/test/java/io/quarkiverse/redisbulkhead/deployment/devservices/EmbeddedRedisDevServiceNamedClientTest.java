package io.quarkiverse.redisbulkhead.deployment.devservices;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.redis.client.RedisClientName;
import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.test.QuarkusUnitTest;

/** The dev service serves the client that holds the permits, whatever its name. */
class EmbeddedRedisDevServiceNamedClientTest {

    @RegisterExtension
    static final QuarkusUnitTest APPLICATION = new QuarkusUnitTest()
            .withEmptyApplication()
            .overrideConfigKey("quarkus.redis-bulkhead.redis-client", "permits.eu");

    @Inject
    @RedisClientName("permits.eu")
    RedisDataSource redis;

    @Test
    void namedClientReadsWhatItWrote() {
        redis.value(String.class).set("dev-service", "works");

        assertThat(redis.value(String.class).get("dev-service")).isEqualTo("works");
    }
}
