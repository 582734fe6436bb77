package io.quarkiverse.redisbulkhead.deployment.devservices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.Stream;

import jakarta.inject.Inject;

import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.test.QuarkusUnitTest;

/** Configured hosts are used as they are: no Redis is started. */
class EmbeddedRedisDevServiceDisabledTest {

    /** Nobody listens there. */
    private static final String HOSTS = "redis://127.0.0.1:1";

    @RegisterExtension
    static final QuarkusUnitTest APPLICATION = new QuarkusUnitTest()
            .withEmptyApplication()
            .overrideConfigKey("quarkus.redis.hosts", HOSTS);

    @Inject
    RedisDataSource redis;

    @ConfigProperty(name = "quarkus.redis.hosts")
    String hosts;

    @Test
    void configuredHostsAreKept() {
        assertThat(hosts).isEqualTo(HOSTS);
        assertThatThrownBy(() -> redis.execute("PING")).hasStackTraceContaining("Connection refused");
    }

    @Test
    void noServerIsStarted() {
        Stream<String> programs = ProcessHandle.current().children().flatMap(child -> child.info().command().stream());

        assertThat(programs).noneMatch(program -> program.contains("redis-server"));
    }
}
