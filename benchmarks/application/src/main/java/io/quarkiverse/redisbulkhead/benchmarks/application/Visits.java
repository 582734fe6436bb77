package io.quarkiverse.redisbulkhead.benchmarks.application;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import io.quarkus.arc.properties.IfBuildProperty;
import io.quarkus.redis.datasource.RedisDataSource;

/** Uses the Redis client, as the application itself may do. */
@ApplicationScoped
@IfBuildProperty(name = "benchmarks.redis", stringValue = "true")
public class Visits {

    @Inject
    RedisDataSource redis;

    /** Sends one command. */
    public void count() {
        redis.value(Long.class).incr("visits");
    }
}
