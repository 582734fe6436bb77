package org.acme.migrating;

import java.util.Optional;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.redis.datasource.value.ValueCommands;

/** Before: a semaphore made of a counter. The page says what is wrong with it. */
@ApplicationScoped
public class CountedImports {

    private final ValueCommands<String, Long> counters;

    CountedImports(RedisDataSource redis) {
        counters = redis.value(Long.class);
    }

    // tag::guarded[]
    public Optional<Integer> importLines(String file) {
        try {
            return counters.incr("imports") > 3 ? Optional.empty() : Optional.of(load(file));
        } finally {
            counters.decr("imports");
        }
    }
    // end::guarded[]

    private static int load(String file) {
        return file.length();
    }
}
