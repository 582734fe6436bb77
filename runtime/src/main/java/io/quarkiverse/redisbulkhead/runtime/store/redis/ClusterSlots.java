package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.vertx.redis.client.Response;
import io.vertx.redis.client.impl.ZModem;

/**
 * Which node of a cluster has which slot.
 *
 * @param bySlot the address of the master of each slot; null where no node has it
 * @param masters all masters that have slots
 * @param nodes all nodes that have slots, replicas too
 */
record ClusterSlots(String[] bySlot, Set<String> masters, List<String> nodes) {

    private static final int SLOTS = 16_384;

    /** What comes before the host, the host, its port, and what follows. A password may hold an @. */
    private static final Pattern ENDPOINT = Pattern.compile("(\\w+://(?:.*@)?)([^/?]*?)(?::\\d+)?([/?].*)?");

    /** Reads the reply to {@code CLUSTER SLOTS}; empty when the node knows none, so that another one may know more. */
    static Optional<ClusterSlots> read(String asked, Response reply) {
        String[] bySlot = new String[SLOTS];
        Set<String> masters = new LinkedHashSet<>();
        Set<String> all = new LinkedHashSet<>();
        for (Response range : reply) {
            String master = null;
            for (int i = 2; i < range.size(); i++) {
                String endpoint = endpoint(asked, Objects.toString(range.get(i).get(0), ""), range.get(i).get(1).toInteger());
                all.add(endpoint);
                master = master == null ? endpoint : master;
            }
            masters.add(master);
            for (int slot = range.get(0).toInteger(); slot <= range.get(1).toInteger(); slot++) {
                bySlot[slot] = master;
            }
        }
        return all.isEmpty() ? Optional.empty() : Optional.of(new ClusterSlots(bySlot, masters, List.copyOf(all)));
    }

    /** Copies an endpoint with another address; an empty host keeps the host. */
    static String endpoint(String like, String host, int port) {
        Matcher parts = ENDPOINT.matcher(like);
        if (!parts.matches()) {
            throw new IllegalArgumentException("Not the address of a Redis server");
        }
        String name = host.isEmpty() ? parts.group(2) : host.contains(":") ? "[" + host + "]" : host;
        return parts.group(1) + name + ":" + port + Objects.toString(parts.group(3), "");
    }

    /** The host and the port of an endpoint. */
    static String address(String endpoint) {
        return endpoint.replaceFirst("^.*@", "").replaceFirst("^\\w+://", "");
    }

    /** The address of the node that has a key; null where no node has its slot. */
    String node(byte[] key) {
        return bySlot[ZModem.generate(key)];
    }
}
