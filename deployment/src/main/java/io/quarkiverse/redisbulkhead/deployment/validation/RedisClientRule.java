package io.quarkiverse.redisbulkhead.deployment.validation;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.eclipse.microprofile.config.Config;

import io.quarkiverse.redisbulkhead.deployment.discovery.BulkheadUsage;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadBuildTimeConfig;
import io.quarkiverse.redisbulkhead.runtime.definition.ValidationErrors;
import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;
import io.quarkiverse.redisbulkhead.runtime.message.NearestNames;
import io.quarkiverse.redisbulkhead.runtime.message.PropertyNames;
import io.quarkus.redis.deployment.client.RedisClientBuildTimeConfig;
import io.quarkus.redis.runtime.client.config.RedisClientConfig;
import io.quarkus.redis.runtime.client.config.RedisConfig;
import io.smallrye.config.common.utils.StringUtil;

/** The named Redis client must exist, as far as known. If no client is configured at build time, start-up checks it. */
final class RedisClientRule implements Rule {

    private static final String CLIENTS = "quarkus.redis.";

    // The properties of one client. Names of environment variables can look like other properties.
    private static final Set<String> MEMBERS = Stream.of(RedisClientConfig.class, RedisClientBuildTimeConfig.class)
            .flatMap(config -> Stream.of(config.getMethods()))
            .map(member -> StringUtil.skewer(member.getName()))
            .collect(Collectors.toSet());

    // The default client has defaults for all other values.
    private static final Set<String> LOCATIONS = Set.of(RedisConfig.HOSTS, RedisConfig.HOSTS_PROVIDER_NAME);

    private final Config config;
    private final RedisBulkheadBuildTimeConfig fixed;

    RedisClientRule(Config config, RedisBulkheadBuildTimeConfig fixed) {
        this.config = config;
        this.fixed = fixed;
    }

    @Override
    public void check(BulkheadUsage usage, ValidationErrors errors) {
        if (fixed.store().needsRedis()) {
            fixed.redisClient().filter(client -> !RedisConfig.isDefaultClient(client))
                    .ifPresent(client -> check(client, usage, errors));
        }
    }

    private void check(String client, BulkheadUsage usage, ValidationErrors errors) {
        Set<String> configuredClients = configuredClientsOf(config.getPropertyNames());
        Set<String> known = new TreeSet<>(configuredClients);
        known.addAll(usage.redisClients());
        if (known.contains(client) || configuredClients.isEmpty() || hasHosts(client)) {
            return;
        }
        known.remove(RedisConfig.DEFAULT_CLIENT_NAME);
        errors.add(MessageCode.RBH022, PropertyNames.PREFIX + "redis-client", "there is no Redis client '"
                + client
                + "'. " + NearestNames.meant(client, known).map(meant -> "Did you mean '" + meant + "'? ").orElse("")
                + (known.isEmpty() ? "Only the default client is configured" : "There are " + String.join(", ", known))
                + ". Set " + RedisConfig.getPropertyName(client, RedisConfig.HOSTS)
                + " (an expression such as ${REDIS_HOSTS} is enough for the build), or leave redis-client out to use the default"
                + " client");
    }

    // The environment gives values to properties whose names it does not list.
    private boolean hasHosts(String client) {
        return isSet(RedisConfig.getPropertyName(client, RedisConfig.HOSTS))
                || isSet(RedisConfig.getPropertyName(client, RedisConfig.HOSTS_PROVIDER_NAME));
    }

    private boolean isSet(String property) {
        String value = config.getConfigValue(property).getRawValue();
        return value != null && !value.isBlank();
    }

    /** The clients that are configured, in any profile; {@link RedisConfig#DEFAULT_CLIENT_NAME} for the default client. */
    private static Set<String> configuredClientsOf(Iterable<String> properties) {
        Set<String> clients = new TreeSet<>();
        for (String property : properties) {
            String name = property.startsWith("%") ? property.substring(property.indexOf('.') + 1) : property;
            if (name.startsWith(CLIENTS)) {
                add(PropertyNames.segments(name, CLIENTS), clients);
            }
        }
        return clients;
    }

    private static void add(List<String> segments, Set<String> clients) {
        String first = segments.get(0);
        if (LOCATIONS.contains(first)) {
            clients.add(RedisConfig.DEFAULT_CLIENT_NAME);
        } else if (!MEMBERS.contains(first) && segments.size() > 1 && MEMBERS.contains(segments.get(1))) {
            clients.add(first);
        }
    }
}
