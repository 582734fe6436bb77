package io.quarkiverse.redisbulkhead.runtime.store.local;

import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Things that have an end each, found by key and by their end. An entry lives as long as its end is in the future;
 * ended ones stay until they are {@linkplain #removeEnded removed}.
 */
final class Expiring<K, V> {

    /**
     * One thing.
     *
     * @param key what it is found by
     * @param value what it is
     * @param end when it ends, in milliseconds since the epoch
     * @param serial tells apart those that end at the same time
     */
    record Entry<K, V>(K key, V value, long end, long serial) {
    }

    private final Map<K, Entry<K, V>> byKey = new HashMap<>();

    private final NavigableSet<Entry<K, V>> byEnd = new TreeSet<>(
            Comparator.<Entry<K, V>> comparingLong(Entry::end).thenComparingLong(Entry::serial));

    private long lastSerial;

    boolean isEmpty() {
        return byKey.isEmpty();
    }

    int size() {
        return byKey.size();
    }

    Entry<K, V> get(K key) {
        return byKey.get(key);
    }

    boolean isLive(K key, long now) {
        Entry<K, V> entry = byKey.get(key);
        return entry != null && entry.end() > now;
    }

    void put(K key, V value, long end) {
        remove(key);
        Entry<K, V> entry = new Entry<>(key, value, end, ++lastSerial);
        byKey.put(key, entry);
        byEnd.add(entry);
    }

    /** Whether there is such an entry, live or not. */
    boolean lengthen(K key, long end) {
        Entry<K, V> entry = byKey.get(key);
        if (entry != null && end > entry.end()) {
            put(key, entry.value(), end);
        }
        return entry != null;
    }

    /** The value that was removed, or null. */
    V remove(K key) {
        Entry<K, V> entry = byKey.remove(key);
        if (entry == null) {
            return null;
        }
        byEnd.remove(entry);
        return entry.value();
    }

    void removeEnded(long now, Consumer<V> removed) {
        while (!byEnd.isEmpty() && byEnd.first().end() <= now) {
            Entry<K, V> entry = byEnd.pollFirst();
            byKey.remove(entry.key());
            removed.accept(entry.value());
        }
    }

    boolean allEnded(long now) {
        return byEnd.isEmpty() || byEnd.last().end() <= now;
    }

    /** How many live. The cost grows with the number of those that ended, not of those that live. */
    int liveSize(long now) {
        return size() - byEnd.headSet(lastEndingAt(now), true).size();
    }

    /** Those that live, the one that ends first coming first. */
    Stream<Entry<K, V>> live(long now) {
        return byEnd.tailSet(lastEndingAt(now), false).stream();
    }

    private Entry<K, V> lastEndingAt(long now) {
        return new Entry<>(null, null, now, Long.MAX_VALUE);
    }
}
