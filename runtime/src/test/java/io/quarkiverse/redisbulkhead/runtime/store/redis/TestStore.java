package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.redisbulkhead.runtime.RedisStore;
import io.quarkiverse.redisbulkhead.runtime.RedisStores;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.RealTimers;
import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.lock.LockPermitStore;
import io.vertx.redis.client.RedisOptions;

/** The Redis stores. */
public enum TestStore {

    SCRIPT {

        @Override
        RedisStore open(RedisStores stores) {
            return stores.script();
        }

        @Override
        public PermitStore open(TestRedis redis, RedisConnectionManager connections, NotificationSubscriber notifications) {
            return new RedisPermitStore(connections, notifications);
        }

        @Override
        RedisConnectionManager connections(TestRedis redis, RedisOptions options, Duration timeout) {
            return new RedisConnectionManager(redis.vertx(), options, "quarkus.redis", "test", timeout, 1, true);
        }

        @Override
        List<String> commands() {
            return List.of("eval", "evalsha", "time", "publish", "exists", "pexpire", "unlink", "set", "hget", "hmget", "hset",
                    "hdel",
                    "hrandfield", "zadd", "zcard", "zcount", "zmscore", "zrange", "zrangebyscore", "zrem", "zremrangebyscore",
                    "scan");
        }
    },

    LOCK {

        @Override
        RedisStore open(RedisStores stores) {
            return stores.lock(STEP_TIMEOUT, CONTENTION_TIMEOUT);
        }

        @Override
        public PermitStore open(TestRedis redis, RedisConnectionManager connections, NotificationSubscriber notifications) {
            return new LockPermitStore(connections, notifications, STEP_TIMEOUT, CONTENTION_TIMEOUT,
                    new RealTimers()::after);
        }

        @Override
        RedisConnectionManager connections(TestRedis redis, RedisOptions options, Duration timeout) {
            return new RedisConnectionManager(redis.vertx(), options, "quarkus.redis", "test", timeout, CONNECTIONS, false);
        }

        @Override
        List<String> commands() {
            return List.of("watch", "unwatch", "multi", "exec", "time", "publish", "get", "set", "del", "pexpire",
                    "hkeys", "hvals", "hmget", "hset", "hdel", "zadd", "zcard", "zrange", "zrem", "zmscore", "scan");
        }
    };

    /** Maximum number of connections of the lock store. */
    private static final int CONNECTIONS = 3;

    private static final Duration STEP_TIMEOUT = Duration.ofSeconds(1);

    // Longer than the default, so that a busy machine does not look like contention.
    private static final Duration CONTENTION_TIMEOUT = Duration.ofSeconds(10);

    /** The store as in an application. */
    abstract RedisStore open(RedisStores stores);

    /** The store, on connections that the test created. */
    public abstract PermitStore open(TestRedis redis, RedisConnectionManager connections, NotificationSubscriber notifications);

    abstract RedisConnectionManager connections(TestRedis redis, RedisOptions options, Duration timeout);

    /** The Redis commands of the store, as documented. */
    abstract List<String> commands();

    /** The documented permissions of a user of this store, with the keys and channels of tests. */
    public List<String> rights() {
        List<String> rights = new ArrayList<>(List.of("reset", "resetchannels", "on", ">secret", "~test:*", "&test:*",
                "+subscribe", "+hello", "+auth", "+ping"));
        commands().forEach(command -> rights.add("+" + command));
        return rights;
    }
}
