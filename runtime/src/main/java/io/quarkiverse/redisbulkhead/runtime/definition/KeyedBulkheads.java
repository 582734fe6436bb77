package io.quarkiverse.redisbulkhead.runtime.definition;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;
import io.quarkiverse.redisbulkhead.runtime.message.Texts;

/** Which bulkheads have one limit per key: the calls of a bulkhead have keys at every place or at none. Not thread-safe. */
public final class KeyedBulkheads {

    // The places of calls that have a key, and of those that have none, by bulkhead.
    private final Map<String, SortedSet<String>> keyed = new TreeMap<>();
    private final Map<String, SortedSet<String>> unkeyed = new HashMap<>();

    /**
     * Adds a guarded method.
     *
     * @param name the bulkhead
     * @param location the method, and where its key comes from if it has one
     * @param hasKey whether its calls have a key
     */
    public void add(String name, String location, boolean hasKey) {
        Map<String, SortedSet<String>> locations = hasKey ? keyed : unkeyed;
        if (!locations.containsKey(name)) {
            locations.put(name, new TreeSet<>());
        }
        locations.get(name).add(location);
    }

    /**
     * The bulkheads that have one limit for each key.
     *
     * @return their names
     */
    public Set<String> keyedNames() {
        return keyed.keySet();
    }

    /**
     * Adds the bulkheads that have keys at some places only.
     *
     * @param errors takes those
     */
    public void check(ValidationErrors errors) {
        for (String name : keyed.keySet()) {
            if (unkeyed.containsKey(name)) {
                errors.add(MessageCode.RBH020, Texts.annotation(name), "has a key at " + String.join(", ", keyed.get(name))
                        + ", but not at " + String.join(", ", unkeyed.get(name))
                        + ". Provide a key everywhere, with @BulkheadKey or a keyResolver, or use different names");
            }
        }
    }
}
