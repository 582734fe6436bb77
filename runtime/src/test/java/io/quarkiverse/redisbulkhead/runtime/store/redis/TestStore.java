package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import io.quarkiverse.redisbulkhead.runtime.RedisStore;
import io.quarkiverse.redisbulkhead.runtime.RedisStores;
import io.quarkiverse.redisbulkhead.runtime.semaphore.RealTimers;
import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.lock.LockPermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.script.ScriptPermitStore;
import io.vertx.redis.client.Redis;

/** The stores in Redis. */
public enum TestStore {

    SCRIPT {

        @Override
        RedisStore open(RedisStores stores) {
            return stores.script();
        }

        @Override
        public PermitStore open(TestRedis redis, List<RedisLink> links, Mailbox mailbox) {
            return new ScriptPermitStore(links.get(0), mailbox, "test", redis.isCluster());
        }

        @Override
        List<RedisLink> links(TestRedis redis, Redis client, Duration timeout) {
            return List.of(new RedisLink(redis.vertx(), client, timeout, 1024, 4, new PoolShare(6)));
        }

        @Override
        List<String> commands() {
            return List.of("eval", "evalsha", "time", "publish", "get", "set", "pttl", "pexpire", "hget", "hgetall", "hmget",
                    "hset", "hdel", "hlen", "zadd", "zcard", "zcount", "zrange", "zrangebyscore", "zrem", "zremrangebyscore",
                    "zscore", "exists", "zmscore",
                    "scan");
        }
    },

    LOCK {

        @Override
        RedisStore open(RedisStores stores) {
            return stores.lock(STEP_TIMEOUT, CONTENTION_TIMEOUT);
        }

        @Override
        public PermitStore open(TestRedis redis, List<RedisLink> links, Mailbox mailbox) {
            return new LockPermitStore(links, mailbox, "test", STEP_TIMEOUT, CONTENTION_TIMEOUT,
                    redis.isCluster(), new RealTimers()::after);
        }

        @Override
        List<RedisLink> links(TestRedis redis, Redis client, Duration timeout) {
            return Stream.generate(() -> new RedisLink(redis.vertx(), client, timeout, 1, 2, new PoolShare(6))).limit(LANES)
                    .toList();
        }

        @Override
        List<String> commands() {
            return List.of("watch", "unwatch", "multi", "exec", "time", "publish", "get", "set", "del", "pttl", "pexpire",
                    "hkeys", "hvals", "hmget", "hset", "hdel", "zadd", "zcard", "zcount", "zrange", "zrangebyscore", "zrem",
                    "zremrangebyscore", "zmscore", "scan");
        }
    };

    /** How many connections the store with the lock has at the most. */
    static final int LANES = 3;

    private static final Duration STEP_TIMEOUT = Duration.ofSeconds(1);

    // Longer than the default, so that a busy machine is not taken for a contended bulkhead.
    private static final Duration CONTENTION_TIMEOUT = Duration.ofSeconds(10);

    /** The store as an application has it. */
    abstract RedisStore open(RedisStores stores);

    /** The store, over links and with a mailbox that the test has made. */
    public abstract PermitStore open(TestRedis redis, List<RedisLink> links, Mailbox mailbox);

    abstract List<RedisLink> links(TestRedis redis, Redis client, Duration timeout);

    /** What the store calls, as the documentation lists it. */
    abstract List<String> commands();

    /** The rights that the documentation lists for a user of this store, with the keys and channels of tests. */
    public List<String> rights() {
        List<String> rights = new ArrayList<>(List.of("reset", "resetchannels", "on", ">secret", "~test:*", "&test:*",
                "+subscribe", "+unsubscribe", "+hello", "+auth", "+ping"));
        commands().forEach(command -> rights.add("+" + command));
        return rights;
    }
}
