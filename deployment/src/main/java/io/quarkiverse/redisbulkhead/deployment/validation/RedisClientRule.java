package io.quarkiverse.redisbulkhead.deployment.validation;

import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

import io.quarkiverse.redisbulkhead.deployment.discovery.BulkheadUsage;
import io.quarkiverse.redisbulkhead.runtime.RedisBulkheadBuildTimeConfig;
import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;
import io.quarkiverse.redisbulkhead.runtime.message.NearestNames;
import io.quarkiverse.redisbulkhead.runtime.message.PropertyNames;
import io.quarkus.redis.runtime.client.config.RedisConfig;

/**
 * The named Redis client must be one that the application has, as far as its configuration tells. When nothing is
 * configured yet, that is seen when the application starts.
 */
final class RedisClientRule implements Rule {

    private final ConfiguredValues configured;
    private final RedisBulkheadBuildTimeConfig fixed;

    RedisClientRule(ConfiguredValues configured, RedisBulkheadBuildTimeConfig fixed) {
        this.configured = configured;
        this.fixed = fixed;
    }

    @Override
    public void check(BulkheadUsage usage, Consumer<Mistake> mistakes) {
        if (fixed.store().needsRedis()) {
            fixed.redisClient().filter(client -> !RedisConfig.isDefaultClient(client))
                    .ifPresent(client -> check(client, usage, mistakes));
        }
    }

    private void check(String client, BulkheadUsage usage, Consumer<Mistake> mistakes) {
        Set<String> configuredClients = RedisClients.among(configured.all().getPropertyNames());
        Set<String> known = new TreeSet<>(configuredClients);
        known.addAll(usage.redisClients());
        if (known.contains(client) || configuredClients.isEmpty() || hasHosts(client)) {
            return;
        }
        known.remove(RedisConfig.DEFAULT_CLIENT_NAME);
        mistakes.accept(new Mistake(MessageCode.RBH022, PropertyNames.PREFIX + "redis-client", "there is no Redis client '"
                + client
                + "'. " + NearestNames.meant(client, known).map(meant -> "Did you mean '" + meant + "'? ").orElse("")
                + (known.isEmpty() ? "Only the default client is configured" : "There are " + String.join(", ", known))
                + ". Set " + RedisConfig.getPropertyName(client, RedisConfig.HOSTS)
                + " (an expression such as ${REDIS_HOSTS} is enough for the build), or leave redis-client out to use the default"
                + " client"));
    }

    // The environment gives values to properties whose names it does not list.
    private boolean hasHosts(String client) {
        return configured.read(RedisConfig.getPropertyName(client, RedisConfig.HOSTS)).isPresent()
                || configured.read(RedisConfig.getPropertyName(client, RedisConfig.HOSTS_PROVIDER_NAME)).isPresent();
    }
}
