package io.quarkiverse.redisbulkhead.deployment.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.LockSpec;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkus.test.QuarkusUnitTest;

/**
 * The extension learns that an application uses locks only when it requests one: the error then says that Redis is not
 * configured.
 */
class LocksWithoutRedisTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withEmptyApplication()
            .overrideConfigKey("quarkus.devservices.enabled", "false");

    @Inject
    RedisBulkheads bulkheads;

    @Test
    void messageNamesThePropertyToSet() {
        assertThat(bulkheads.names()).isEmpty();
        assertThatThrownBy(() -> bulkheads.lock("orders")).isInstanceOf(IllegalStateException.class)
                .hasMessage(
                        "quarkus.redis.hosts is not set, but the lock 'orders' needs that Redis. Set it, or keep locks in this "
                                + "process by quarkus.redis-bulkhead.store=local when the application is built");
        assertThatThrownBy(() -> bulkheads.lock(LockSpec.named("orders").build())).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> bulkheads.lock(" ")).isInstanceOf(IllegalArgumentException.class);
    }
}
