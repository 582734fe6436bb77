package io.quarkiverse.redisbulkhead.deployment.validation;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.quarkiverse.redisbulkhead.runtime.message.PropertyNames;
import io.quarkus.redis.deployment.client.RedisClientBuildTimeConfig;
import io.quarkus.redis.runtime.client.config.RedisClientConfig;
import io.quarkus.redis.runtime.client.config.RedisConfig;
import io.smallrye.config.common.utils.StringUtil;

/** Tells from the names of properties which Redis clients are configured. */
final class RedisClients {

    private static final String PREFIX = "quarkus.redis.";

    // What one client is configured with. Names of environment variables can look like other properties.
    private static final Set<String> MEMBERS = Stream.of(RedisClientConfig.class, RedisClientBuildTimeConfig.class)
            .flatMap(config -> Stream.of(config.getMethods()))
            .map(member -> StringUtil.skewer(member.getName()))
            .collect(Collectors.toSet());

    // The default client has other values without anybody having set them.
    private static final Set<String> LOCATIONS = Set.of(RedisConfig.HOSTS, RedisConfig.HOSTS_PROVIDER_NAME);

    private RedisClients() {
    }

    /**
     * Finds the clients, in whatever profile they are configured.
     *
     * @param properties the names of properties
     * @return their names; {@link RedisConfig#DEFAULT_CLIENT_NAME} for the default client
     */
    static Set<String> among(Iterable<String> properties) {
        Set<String> clients = new TreeSet<>();
        for (String property : properties) {
            String name = property.startsWith("%") ? property.substring(property.indexOf('.') + 1) : property;
            if (name.startsWith(PREFIX)) {
                add(PropertyNames.segments(name, PREFIX), clients);
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
