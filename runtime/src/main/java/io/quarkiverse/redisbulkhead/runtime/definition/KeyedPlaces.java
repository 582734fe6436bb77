package io.quarkiverse.redisbulkhead.runtime.definition;

import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;

/** Where calls have keys: for each bulkhead at every place, or at none. Not safe for threads. */
public final class KeyedPlaces {

    /** The places of one bulkhead. */
    private record Places(SortedSet<String> keyed, SortedSet<String> unkeyed) {
    }

    private final Map<String, Places> byName = new TreeMap<>();

    /**
     * Notes a guarded method.
     *
     * @param name the bulkhead
     * @param place the method, and where its key comes from if it has one
     * @param keyed whether its calls have a key
     */
    public void add(String name, String place, boolean keyed) {
        Places places = byName.computeIfAbsent(name, any -> new Places(new TreeSet<>(), new TreeSet<>()));
        (keyed ? places.keyed() : places.unkeyed()).add(place);
    }

    /**
     * The bulkheads that have one limit for each key.
     *
     * @return their names
     */
    public Set<String> keyedNames() {
        return byName.entrySet().stream().filter(entry -> !entry.getValue().keyed().isEmpty()).map(Map.Entry::getKey)
                .collect(Collectors.toUnmodifiableSet());
    }

    /**
     * Looks for bulkheads that have keys at some places only.
     *
     * @param findings takes those
     */
    public void check(Findings findings) {
        byName.forEach((name, places) -> {
            if (!places.keyed().isEmpty() && !places.unkeyed().isEmpty()) {
                findings.add(MessageCode.RBH020, Texts.annotation(name), "has a key at " + String.join(", ", places.keyed())
                        + ", but none at " + String.join(", ", places.unkeyed())
                        + ". Tell the key at every place, by @BulkheadKey or a keyResolver, or use different names");
            }
        });
    }
}
