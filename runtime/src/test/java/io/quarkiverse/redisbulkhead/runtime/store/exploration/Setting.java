package io.quarkiverse.redisbulkhead.runtime.store.exploration;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The parameters of an exploration.
 *
 * @param name a readable name
 * @param limit the number of permits
 * @param roles the clients
 * @param calls the calls of each client
 * @param lease the lease in milliseconds
 * @param place the lifetime of a place in milliseconds
 * @param minHold min-hold in milliseconds
 * @param bounds the limits of rare events
 * @param weights the weights of the clients; empty if all are 1
 */
record Setting(String name, int limit, List<Role> roles, int calls, long lease, long place, long minHold,
        Map<Rare, Integer> bounds, List<Integer> weights) {

    /** The unit of time: the first lease of a hand-over. */
    static final long TICK = 2_000;

    /** One call per client, leases and places of two ticks, and no rare events. */
    static Setting of(String name, int limit, Role... roles) {
        return new Setting(name, limit, List.of(roles), 1, 2 * TICK, 2 * TICK, 0, Map.of(), List.of());
    }

    Setting calls(int each) {
        return new Setting(name, limit, roles, each, lease, place, minHold, bounds, weights);
    }

    Setting place(long millis) {
        return new Setting(name, limit, roles, calls, lease, millis, minHold, bounds, weights);
    }

    Setting minHold(long millis) {
        return new Setting(name, limit, roles, calls, lease, place, millis, bounds, weights);
    }

    Setting with(Rare what, int times) {
        Map<Rare, Integer> more = new EnumMap<>(Rare.class);
        more.putAll(bounds);
        more.put(what, times);
        return new Setting(name, limit, roles, calls, lease, place, minHold, more, weights);
    }

    Setting weights(Integer... ofClients) {
        return new Setting(name, limit, roles, calls, lease, place, minHold, bounds, List.of(ofClients));
    }

    int weight(int client) {
        return weights.isEmpty() ? 1 : weights.get(client);
    }

    boolean mayHappen(Rare what) {
        return bounds.getOrDefault(what, 0) > 0;
    }

    /** How long cancelled requests are refused; the maximum delay of a request. */
    long longestDelay() {
        return 2 * TICK;
    }

    @Override
    public String toString() {
        return name;
    }
}
