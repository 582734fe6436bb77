package io.quarkiverse.redisbulkhead.benchmarks.contender;

import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Redisson as an application has it that changes no defaults. */
final class RedissonApplication {

    private RedissonApplication() {
    }

    static RedissonClient start(Surroundings surroundings) {
        Config config = new Config();
        config.useSingleServer().setAddress(surroundings.redis().url());
        return Redisson.create(config);
    }
}
