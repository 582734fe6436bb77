package io.quarkiverse.redisbulkhead.runtime.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import io.quarkiverse.redisbulkhead.runtime.RedisStore;
import io.quarkiverse.redisbulkhead.runtime.RedisStores;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/** What a store takes of the pool that it shares with the application. */
@ParameterizedClass
@EnumSource(TestStore.class)
class RedisStoresTest {

    private static final int OF_THE_APPLICATION = 2;

    private static final RedisCall<Response> PING = new RedisCall<>() {

        @Override
        public Future<Response> over(RedisConnection connection) {
            return connection.send(Request.cmd(Command.PING));
        }

        @Override
        public String about() {
            return "PING";
        }
    };

    @Parameter
    TestStore kind;

    final TestRedis redis = new TestRedis();

    @AfterEach
    void stop() {
        redis.close();
    }

    /** Trap 25: a server accepts connections and never speaks; the store's commands and messages count together. */
    @Test
    void commandsAndMessagesTogetherLeavePlacesInThePool() throws Exception {
        int share = TestRedis.POOL_SIZE - OF_THE_APPLICATION;
        try (SilentAtFirst server = new SilentAtFirst(Integer.MAX_VALUE, redis.port())) {
            Redis client = redis.newClient(server.port());
            server.onClose(client::close);
            try (RedisStore store = kind.open(new RedisStores(redis.vertx(), client, TestRedis.POOL_SIZE,
                    TestRedis.MAX_WAITING_HANDLERS, false, "test", Duration.ofMillis(50)))) {
                store.mailbox().open();
                await().atMost(20, TimeUnit.SECONDS).until(() -> allFail(store) && server.accepted() >= share);
                // Beyond the time after which the last one is forgotten.
                for (int i = 0; i < 30; i++) {
                    assertThat(allFail(store)).isTrue();
                }
                assertThat(server.accepted()).isEqualTo(share);
            }
        }
    }

    private static boolean allFail(RedisStore store) {
        for (RedisLink link : store.links()) {
            assertThatThrownBy(() -> link.send(PING).toCompletableFuture().get(20, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(StoreException.class);
        }
        return true;
    }
}
