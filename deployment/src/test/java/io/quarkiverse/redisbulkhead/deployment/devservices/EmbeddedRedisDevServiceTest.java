package io.quarkiverse.redisbulkhead.deployment.devservices;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.test.QuarkusUnitTest;

/** Without any configuration there is a Redis: the embedded one, or a container where there is a container runtime. */
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
