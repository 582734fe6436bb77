package io.quarkiverse.redisbulkhead.deployment.devservices;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.test.QuarkusUnitTest;

/**
 * Without configuration, a Redis is started: in a container if a container runtime is available, else the embedded one.
 */
class EmbeddedRedisDevServiceTest {

    @RegisterExtension
    static final QuarkusUnitTest APPLICATION = new QuarkusUnitTest().withEmptyApplication();

    @Inject
    RedisDataSource redis;

    @Test
    void defaultClientReadsWhatItWrote() {
        redis.value(String.class).set("dev-service", "works");

        assertThat(redis.value(String.class).get("dev-service")).isEqualTo("works");
    }
}
