package io.quarkiverse.redisbulkhead.deployment.validation;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import org.eclipse.microprofile.config.Config;

import io.quarkiverse.redisbulkhead.deployment.discovery.BulkheadUsage;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadBuildTimeConfig;
import io.quarkiverse.redisbulkhead.runtime.definition.ValidationErrors;
import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;
import io.quarkiverse.redisbulkhead.runtime.message.NearestNames;
import io.quarkiverse.redisbulkhead.runtime.message.Texts;
import io.quarkus.redis.runtime.client.config.RedisConfig;

/**
 * What the build-time configuration asks for must exist: the management endpoint for changes, an HTTP server for the endpoint,
 * and the named Redis client, as far as known. If no client is configured at build time, start-up checks it.
 *
 * @param config what is configured while the application is built
 * @param fixed the build-time configuration
 * @param http whether the application has an HTTP server
 */
record BuildConfigurationRule(Config config, RedisBulkheadBuildTimeConfig fixed, boolean http) implements Rule {

    private static final String CLIENTS = "quarkus.redis.";

    // The default client has defaults for all other values.
    private static final Set<String> LOCATIONS = Set.of(RedisConfig.HOSTS, RedisConfig.HOSTS_PROVIDER_NAME);

    @Override
    public void check(BulkheadUsage usage, ValidationErrors errors) {
        if (fixed.management().enabled() && !http) {
            errors.add(MessageCode.RBH029, Texts.PREFIX + "management.enabled",
                    "the management endpoint needs an HTTP server, which this application does not have. Add the extension"
                            + " io.quarkus:quarkus-vertx-http, or another extension that includes it, such as"
                            + " io.quarkus:quarkus-rest; or leave the property out");
        } else if (fixed.management().changesEnabled() && !fixed.management().enabled()) {
            // No mistake where a profile enables the endpoint.
            errors.warn(MessageCode.RBH029, Texts.PREFIX + "management.changes-enabled", "it has no effect, because the"
                    + " management endpoint is not enabled. Set " + Texts.PREFIX + "management.enabled=true at build time");
        }
        if (fixed.store().needsRedis() && !RedisConfig.isDefaultClient(fixed.redisClient())) {
            check(fixed.redisClient(), usage, errors);
        }
    }

    private void check(String client, BulkheadUsage usage, ValidationErrors errors) {
        Set<String> known = new TreeSet<>(usage.redisClients());
        boolean configured = false;
        for (String property : config.getPropertyNames()) {
            // In any profile.
            String name = property.startsWith("%") ? property.substring(property.indexOf('.') + 1) : property;
            List<String> segments = name.startsWith(CLIENTS) ? Texts.segments(name, CLIENTS) : List.of();
            if (segments.size() > 1 && segments.get(0).equals(client)) {
                return;
            }
            if (segments.size() == 2 && LOCATIONS.contains(segments.get(1))) {
                known.add(segments.get(0));
            }
            configured |= !segments.isEmpty() && LOCATIONS.contains(segments.get(segments.size() - 1));
        }
        // The environment gives values to properties whose names it does not list.
        if (configured && !known.contains(client) && LOCATIONS.stream().noneMatch(location -> isSet(client, location))) {
            errors.add(MessageCode.RBH022, Texts.PREFIX + "redis-client", "there is no Redis client '" + client + "'. "
                    + NearestNames.meant(client, known).map(meant -> "Did you mean '" + meant + "'? ").orElse("")
                    + (known.isEmpty() ? "Only the default client is configured" : "There are " + String.join(", ", known))
                    + ". Set " + RedisConfig.getPropertyName(client, RedisConfig.HOSTS)
                    + " (an expression such as ${REDIS_HOSTS} is enough for the build), or leave redis-client out to use the"
                    + " default client");
        }
    }

    private boolean isSet(String client, String location) {
        String value = config.getConfigValue(RedisConfig.getPropertyName(client, location)).getRawValue();
        return value != null && !value.isBlank();
    }
}
