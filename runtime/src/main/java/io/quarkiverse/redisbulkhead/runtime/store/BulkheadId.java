package io.quarkiverse.redisbulkhead.runtime.store;

import java.util.Objects;
import java.util.Optional;

/**
 * The name of a bulkhead, and a key if the bulkhead has one limit per key. Different ids never share data, whatever their
 * texts are.
 *
 * @param name the bulkhead's name
 * @param key any text; empty when the bulkhead is one limit for all
 */
public record BulkheadId(String name, Optional<String> key) implements Comparable<BulkheadId> {

    /** Checks the values. */
    public BulkheadId {
        Objects.requireNonNull(name);
        Objects.requireNonNull(key);
    }

    /**
     * A bulkhead that is one limit for all.
     *
     * @param name its name
     * @return its id
     */
    public static BulkheadId of(String name) {
        return new BulkheadId(name, Optional.empty());
    }

    /**
     * One of the keys of the bulkhead.
     *
     * @param value any text
     * @return its id
     */
    public BulkheadId forKey(String value) {
        return new BulkheadId(name, Optional.of(value));
    }

    /** Keeps maps fast even if clients send keys with the same hash code. */
    @Override
    public int compareTo(BulkheadId other) {
        int byName = name.compareTo(other.name);
        if (byName != 0 || key.isEmpty() || other.key.isEmpty()) {
            return byName != 0 ? byName : Boolean.compare(key.isPresent(), other.key.isPresent());
        }
        return key.get().compareTo(other.key.get());
    }

    // Written out, because what the compiler generates for records is linked at the first call, which takes milliseconds.
    @Override
    public boolean equals(Object other) {
        return other instanceof BulkheadId id && name.equals(id.name) && key.equals(id.key);
    }

    @Override
    public int hashCode() {
        return 31 * name.hashCode() + key.hashCode();
    }

    /** Without the key: it belongs to the callers and may be any text. */
    @Override
    public String toString() {
        return key.isEmpty() ? name : name + " (one of its keys)";
    }
}
