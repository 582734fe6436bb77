package io.quarkiverse.redisbulkhead.benchmarks.contender;

import io.quarkiverse.redisbulkhead.benchmarks.redis.RedisServerProcess;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.RedisClient;

/** Limits nothing: two {@code PING}s in place of a pair, over a pool that has a connection for each caller. */
final class TwoPooledPings implements Contender {

    private final RedisClient pool;

    TwoPooledPings(BenchmarkEnvironment environment, int callers) {
        ConnectionPoolConfig config = new ConnectionPoolConfig();
        config.setMaxTotal(callers);
        config.setMaxIdle(callers);
        pool = RedisClient.builder().hostAndPort(RedisServerProcess.HOST, environment.redis().port()).poolConfig(config)
                .build();
    }

    @Override
    public BlockingCaller newBlockingCaller() {
        return execution -> {
            pool.ping();
            execution.run();
            pool.ping();
        };
    }

    @Override
    public void close() {
        pool.close();
    }
}
