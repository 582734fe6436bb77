package io.quarkiverse.redisbulkhead.runtime.definition;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;
import io.quarkiverse.redisbulkhead.runtime.message.Texts;

/** Which bulkheads have one limit per key: the calls of a bulkhead have keys at every place or at none. Not thread-safe. */
public final class KeyedBulkheads {

    /** Where calls of one bulkhead have a key, and where they have none. */
    private record SourceLocations(SortedSet<String> keyed, SortedSet<String> unkeyed) {
    }

    private final Map<String, SourceLocations> byName = new TreeMap<>();

    /**
     * Adds a guarded method.
     *
     * @param name the bulkhead
     * @param location the method, and where its key comes from if it has one
     * @param keyed whether its calls have a key
     */
    public void add(String name, String location, boolean keyed) {
        SourceLocations locations = byName.get(name);
        if (locations == null) {
            locations = new SourceLocations(new TreeSet<>(), new TreeSet<>());
            byName.put(name, locations);
        }
        (keyed ? locations.keyed() : locations.unkeyed()).add(location);
    }

    /**
     * The bulkheads that have one limit for each key.
     *
     * @return their names
     */
    public Set<String> keyedNames() {
        Set<String> keyed = new HashSet<>();
        for (Map.Entry<String, SourceLocations> bulkhead : byName.entrySet()) {
            if (!bulkhead.getValue().keyed().isEmpty()) {
                keyed.add(bulkhead.getKey());
            }
        }
        return keyed;
    }

    /**
     * Adds the bulkheads that have keys at some places only.
     *
     * @param errors takes those
     */
    public void check(ValidationErrors errors) {
        for (Map.Entry<String, SourceLocations> bulkhead : byName.entrySet()) {
            SourceLocations locations = bulkhead.getValue();
            if (!locations.keyed().isEmpty() && !locations.unkeyed().isEmpty()) {
                errors.add(MessageCode.RBH020, Texts.annotation(bulkhead.getKey()),
                        "has a key at " + String.join(", ", locations.keyed())
                                + ", but not at " + String.join(", ", locations.unkeyed())
                                + ". Provide a key everywhere, with @BulkheadKey or a keyResolver, or use different names");
            }
        }
    }
}
