package io.quarkiverse.redisbulkhead.deployment.devservices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;

import jakarta.inject.Inject;

import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.test.QuarkusUnitTest;

/** Configured hosts are used as they are: no Redis is started. */
class EmbeddedRedisDevServiceDisabledTest {

    /** An unused port. */
    private static final String HOSTS = "redis://127.0.0.1:1";

    /** The servers that earlier tests in this JVM share. The test runs in another class loader than the customizer. */
    private static final String BEFORE = "servers-before-embedded-redis-dev-service-disabled-test";

    @RegisterExtension
    static final QuarkusUnitTest APPLICATION = new QuarkusUnitTest()
            .withEmptyApplication()
            .setBeforeAllCustomizer(() -> System.setProperty(BEFORE, String.join(" ", servers())))
            .overrideConfigKey("quarkus.redis.hosts", HOSTS);

    @Inject
    RedisDataSource redis;

    @ConfigProperty(name = "quarkus.redis.hosts")
    String hosts;

    @Test
    void keepsConfiguredHosts() {
        assertThat(hosts).isEqualTo(HOSTS);
        assertThatThrownBy(() -> redis.execute("PING")).hasStackTraceContaining("Connection refused");
    }

    @Test
    void startsNoServer() {
        assertThat(servers()).isSubsetOf(System.getProperty(BEFORE).split(" "));
    }

    private static List<String> servers() {
        return ProcessHandle.current().children()
                .filter(child -> child.info().command().filter(program -> program.contains("redis-server")).isPresent())
                .map(child -> Long.toString(child.pid())).toList();
    }
}
