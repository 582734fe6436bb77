package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.redisbulkhead.runtime.RedisStores;
import io.vertx.redis.client.RedisOptions;

/** The Redis stores. */
public enum TestStore {

    SCRIPT(List.of("eval", "evalsha", "time", "info", "publish", "pexpire", "set", "hget", "hgetall", "hset", "hdel", "zadd",
            "hmget",
            "zrange",
            "zrem", "scan")) {

        @Override
        RedisShareStore open(RedisStores stores) {
            return stores.script();
        }
    },

    LOCK(List.of("watch", "unwatch", "multi", "exec", "time", "info", "publish", "get", "set", "del", "pexpire", "hgetall",
            "hset",
            "hdel",
            "zadd", "zrange", "zrem", "scan")) {

        @Override
        RedisShareStore open(RedisStores stores) {
            return stores.lock(STEP_TIMEOUT, CONTENTION_TIMEOUT);
        }
    };

    private static final Duration STEP_TIMEOUT = Duration.ofSeconds(1);

    // Longer than the default, so that a busy machine does not look like contention.
    private static final Duration CONTENTION_TIMEOUT = Duration.ofSeconds(10);

    private final List<String> commands;

    TestStore(List<String> commands) {
        this.commands = commands;
    }

    abstract RedisShareStore open(RedisStores stores);

    /**
     * The store as in an application.
     *
     * @param redis runs its connections
     * @param options where Redis is
     * @param timeout after what silence Redis is away
     */
    public RedisShareStore open(TestRedis redis, RedisOptions options, Duration timeout) {
        return open(new RedisStores(redis.vertx(), options, "quarkus.redis", "test", timeout));
    }

    /** The Redis commands of the store, as documented. */
    public List<String> commands() {
        return commands;
    }

    /** The documented permissions of a user of this store, with the keys and channels of tests. */
    public List<String> rights() {
        List<String> rights = new ArrayList<>(List.of("reset", "resetchannels", "on", ">secret", "~test:*", "&test:*",
                "+subscribe", "+hello", "+auth", "+ping"));
        commands.forEach(command -> rights.add("+" + command));
        return rights;
    }
}
