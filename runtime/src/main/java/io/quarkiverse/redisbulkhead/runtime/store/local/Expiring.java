package io.quarkiverse.redisbulkhead.runtime.store.local;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.Consumer;

/**
 * Things that have an end each, found by key and by their end. An entry lives as long as its end is in the future;
 * ended ones stay until they are {@linkplain #removeEnded removed}.
 * <p>
 * The entries are a binary heap, the one that ends first being its root; each knows where it is in it. A few are found by
 * looking at all of them, and only more have an index, so that one that comes and goes costs no memory but its own.
 */
final class Expiring<K, E extends Expiring.Entry<K>> {

    /** One thing. It is in one heap at the most. */
    abstract static class Entry<K> {

        long end;
        int slot;
        // Tells apart those that end at the same time.
        int serial;

        /** What it is found by. */
        abstract K key();

        /** When it ends, in milliseconds since the epoch. */
        final long end() {
            return end;
        }

        final int compareEnd(Entry<?> other) {
            return end == other.end ? serial - other.serial : Long.compare(end, other.end);
        }
    }

    private static final int FEW = 8;

    private final List<E> heap = new ArrayList<>(1);

    /** Null while there are few, and until all of them are gone. */
    private Map<K, E> byKey;

    /** No entry ends later. */
    private long latestEnd = Long.MIN_VALUE;

    private int lastSerial;

    boolean isEmpty() {
        return heap.isEmpty();
    }

    int size() {
        return heap.size();
    }

    /** The entry, live or not, or null. */
    E get(K key) {
        if (byKey != null) {
            return byKey.get(key);
        }
        for (int i = 0; i < heap.size(); i++) {
            if (heap.get(i).key().equals(key)) {
                return heap.get(i);
            }
        }
        return null;
    }

    boolean isLive(K key, long now) {
        E entry = get(key);
        return entry != null && entry.end() > now;
    }

    /** Adds an entry whose key is not there. */
    void add(E entry, long end) {
        place(entry, heap.size(), end);
        heap.add(entry);
        moveUp(entry);
        if (byKey != null) {
            byKey.put(entry.key(), entry);
        } else if (heap.size() > FEW) {
            byKey = new HashMap<>();
            heap.forEach(each -> byKey.put(each.key(), each));
        }
    }

    private void place(E entry, int slot, long end) {
        entry.slot = slot;
        entry.end = end;
        entry.serial = ++lastSerial;
        latestEnd = Math.max(latestEnd, end);
    }

    /** Whether there is such an entry, live or not; it never ends earlier than before. */
    boolean lengthen(K key, long end) {
        E entry = get(key);
        if (entry != null && end > entry.end()) {
            place(entry, entry.slot, end);
            moveDown(entry);
        }
        return entry != null;
    }

    /** The entry that was removed, or null. */
    E remove(K key) {
        E entry = get(key);
        if (entry != null) {
            remove(entry);
        }
        return entry;
    }

    private void remove(E entry) {
        E last = heap.remove(heap.size() - 1);
        if (last != entry) {
            moveTo(last, entry.slot);
            moveUp(last);
            moveDown(last);
        }
        if (heap.isEmpty()) {
            byKey = null;
            latestEnd = Long.MIN_VALUE;
        } else if (byKey != null) {
            byKey.remove(entry.key());
        }
    }

    void removeEnded(long now, Consumer<E> removed) {
        while (!heap.isEmpty() && heap.get(0).end() <= now) {
            E entry = heap.get(0);
            remove(entry);
            removed.accept(entry);
        }
    }

    /** Whether nothing lives any more. It may notice that later, but not after the longest life that was given. */
    boolean allEnded(long now) {
        return latestEnd <= now;
    }

    /** How many live. The cost grows with the number of those that ended, not of those that live. */
    int liveSize(long now) {
        return heap.size() - ended(0, now);
    }

    private int ended(int slot, long now) {
        return slot >= heap.size() || heap.get(slot).end() > now ? 0
                : 1 + ended(2 * slot + 1, now) + ended(2 * slot + 2, now);
    }

    /**
     * Those that live, the one that ends first coming first. The cost grows with the number of those told and of those that
     * ended.
     */
    List<E> live(int most, long now) {
        List<E> found = new ArrayList<>();
        PriorityQueue<E> next = new PriorityQueue<>(Entry::compareEnd);
        offer(next, 0);
        while (!next.isEmpty() && found.size() < most) {
            E entry = next.remove();
            if (entry.end() > now) {
                found.add(entry);
            }
            offer(next, 2 * entry.slot + 1);
            offer(next, 2 * entry.slot + 2);
        }
        return found;
    }

    private void offer(PriorityQueue<E> next, int slot) {
        if (slot < heap.size()) {
            next.add(heap.get(slot));
        }
    }

    private void moveUp(E entry) {
        int slot = entry.slot;
        while (slot > 0 && entry.compareEnd(heap.get((slot - 1) / 2)) < 0) {
            moveTo(heap.get((slot - 1) / 2), slot);
            slot = (slot - 1) / 2;
        }
        moveTo(entry, slot);
    }

    private void moveDown(E entry) {
        int slot = entry.slot;
        int child = earlierChild(slot);
        while (child < heap.size() && heap.get(child).compareEnd(entry) < 0) {
            moveTo(heap.get(child), slot);
            slot = child;
            child = earlierChild(slot);
        }
        moveTo(entry, slot);
    }

    private int earlierChild(int slot) {
        int left = 2 * slot + 1;
        return left + 1 < heap.size() && heap.get(left + 1).compareEnd(heap.get(left)) < 0 ? left + 1 : left;
    }

    private void moveTo(E entry, int slot) {
        entry.slot = slot;
        heap.set(slot, entry);
    }
}
