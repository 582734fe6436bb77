package io.quarkiverse.redisbulkhead.deployment.devservices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.inject.Inject;

import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.redis.client.RedisClientName;
import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.test.QuarkusUnitTest;

/**
 * The dev service serves the client that holds the permits, whatever its name. The configured hosts of another client are used
 * as they are.
 */
class EmbeddedRedisDevServiceNamedClientTest {

    /** An unused port. */
    private static final String HOSTS = "redis://127.0.0.1:1";

    @RegisterExtension
    static final QuarkusUnitTest APPLICATION = new QuarkusUnitTest()
            .withEmptyApplication()
            .overrideConfigKey("quarkus.redis-bulkhead.redis-client", "permits.eu")
            .overrideConfigKey("quarkus.redis.hosts", HOSTS);

    @Inject
    @RedisClientName("permits.eu")
    RedisDataSource redis;

    @Inject
    RedisDataSource other;

    @ConfigProperty(name = "quarkus.redis.hosts")
    String hosts;

    @Test
    void namedClientReadsWhatItWrote() {
        redis.value(String.class).set("dev-service", "works");

        assertThat(redis.value(String.class).get("dev-service")).isEqualTo("works");
    }

    @Test
    void keepsConfiguredHosts() {
        assertThat(hosts).isEqualTo(HOSTS);
        assertThatThrownBy(() -> other.execute("PING")).hasStackTraceContaining("Connection refused");
    }
}
