package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.vertx.redis.client.RedisOptions;

/** The Redis stores. */
public enum TestStore {

    SCRIPT(List.of("eval", "evalsha", "time", "info", "publish", "pexpire", "set", "hget", "hgetall", "hset", "hdel", "zadd",
            "hmget",
            "zrange",
            "zrem", "scan")) {

        @Override
        RedisShareStore open(Topology topology) {
            return new RedisShareStore(topology);
        }
    },

    LOCK(List.of("watch", "unwatch", "multi", "exec", "time", "info", "publish", "get", "set", "del", "pexpire", "hgetall",
            "hset",
            "hdel",
            "zadd", "zrange", "zrem", "scan")) {

        @Override
        RedisShareStore open(Topology topology) {
            return new RedisShareStore(topology, STEP_TIMEOUT, CONTENTION_TIMEOUT);
        }
    };

    private static final Duration STEP_TIMEOUT = Duration.ofSeconds(1);

    // Longer than the default, so that a busy machine does not look like contention.
    private static final Duration CONTENTION_TIMEOUT = Duration.ofSeconds(10);

    private final List<String> commands;

    TestStore(List<String> commands) {
        this.commands = commands;
    }

    abstract RedisShareStore open(Topology topology);

    /**
     * The store as in an application.
     *
     * @param redis runs its connections
     * @param options where Redis is
     * @param timeout after what silence Redis is away
     */
    public RedisShareStore open(TestRedis redis, RedisOptions options, Duration timeout) {
        return open(new Topology(redis.vertx(), options, "quarkus.redis", "test", timeout, this == SCRIPT));
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
