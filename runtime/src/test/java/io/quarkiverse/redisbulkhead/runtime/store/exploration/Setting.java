package io.quarkiverse.redisbulkhead.runtime.store.exploration;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * What is explored.
 *
 * @param name for people
 * @param limit how many permits there are
 * @param roles the clients
 * @param calls how many calls each of them makes
 * @param lease how long a permit lives, milliseconds
 * @param place how long a place among the waiters lives, milliseconds
 * @param minHold how long a permit with which a client has run is taken at least, from its start, milliseconds
 * @param bounds how often what is bounded happens at the most
 * @param weights what the permits of the clients weigh; empty when all weigh 1
 */
record Setting(String name, int limit, List<Role> roles, int calls, long lease, long place, long minHold,
        Map<Rare, Integer> bounds, List<Integer> weights) {

    /** The unit of time: as long as the first lease of a permit that is handed over. */
    static final long TICK = 2_000;

    /** With one call each, leases and places of two ticks, and nothing that is bounded. */
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

    /** For how long a request is refused that was given up, and after what time none arrives any more. */
    long longestDelay() {
        return 2 * TICK;
    }

    @Override
    public String toString() {
        return name;
    }
}
