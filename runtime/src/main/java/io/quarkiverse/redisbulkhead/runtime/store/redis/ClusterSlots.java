package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

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

    /** Reads the reply to {@code CLUSTER SLOTS}; empty when the node knows none, so that another one may know more. */
    static Optional<ClusterSlots> read(String asked, Response reply) {
        String[] bySlot = new String[SLOTS];
        Set<String> masters = new LinkedHashSet<>();
        Set<String> all = new LinkedHashSet<>();
        for (Response range : reply) {
            String master = null;
            for (int i = 2; i < range.size(); i++) {
                Response host = range.get(i).get(0);
                String endpoint = endpoint(asked, host == null ? "" : host.toString(), range.get(i).get(1).toInteger());
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
        int begin = like.lastIndexOf('@') + 1;
        begin = begin == 0 ? like.indexOf("://") + 3 : begin;
        int end = like.length();
        for (int i = begin; i < like.length(); i++) {
            if (like.charAt(i) == '/' || like.charAt(i) == '?') {
                end = i;
                break;
            }
        }
        String address = like.substring(begin, end);
        String old = address.replaceFirst(":\\d+$", "");
        String name = host.isEmpty() ? old : host.contains(":") ? "[" + host + "]" : host;
        return like.substring(0, begin) + name + ":" + port + like.substring(end);
    }

    /** The address of the node that has a key; null where no node has its slot. */
    String node(byte[] key) {
        return bySlot[ZModem.generate(key)];
    }
}
