package io.quarkiverse.redisbulkhead.runtime.store.local;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/**
 * Entries found by id and in the order of their scores, those with equal scores in the order of their ids; what Redis calls a
 * sorted set.
 * <p>
 * The entries are a binary heap with the least score at its root, and each knows its slot. A few are found by a linear search;
 * only more have an index, so an entry that comes and goes allocates nothing but itself.
 */
final class ScoredSet<E extends ScoredSet.Entry> {

    /** An entry. It is in one set at most. */
    abstract static class Entry {

        private long score;
        private int slot;

        abstract String id();

        /** For how many entries this one counts. It never changes. */
        int weight() {
            return 1;
        }

        final long score() {
            return score;
        }

        final boolean isBefore(Entry other) {
            return score == other.score ? id().compareTo(other.id()) < 0 : score < other.score;
        }
    }

    private static final int FEW = 8;

    private final List<E> heap = new ArrayList<>(1);

    /** Null while there are few, and until all of them are gone. */
    private Map<String, E> byId;

    private int weight;

    /** No entry has a greater score. */
    private long greatestScore = Long.MIN_VALUE;

    boolean isEmpty() {
        return heap.isEmpty();
    }

    int size() {
        return heap.size();
    }

    /** What all entries weigh together. */
    int weight() {
        return weight;
    }

    /** Returns null when there is no such entry. */
    E get(String id) {
        if (byId != null) {
            return byId.get(id);
        }
        for (int i = 0; i < heap.size(); i++) {
            if (heap.get(i).id().equals(id)) {
                return heap.get(i);
            }
        }
        return null;
    }

    boolean contains(E entry) {
        int slot = slotOf(entry);
        return slot < heap.size() && heap.get(slot) == entry;
    }

    /** Whether there is such an entry with a score above the given one. */
    boolean isAbove(String id, long score) {
        E entry = get(id);
        return entry != null && entry.score() > score;
    }

    /** The entry with the least score, or null. */
    E first() {
        return heap.isEmpty() ? null : heap.get(0);
    }

    /** A bound that no score exceeds; it may be too high until the set is empty. */
    long greatestScore() {
        return greatestScore;
    }

    /** Adds an entry whose id is not in the set. */
    void add(E entry, long score) {
        setScore(entry, score);
        weight += entry.weight();
        heap.add(entry);
        moveUp(entry, heap.size() - 1);
        if (byId != null) {
            byId.put(entry.id(), entry);
        } else if (heap.size() > FEW) {
            byId = new HashMap<>();
            heap.forEach(each -> byId.put(each.id(), each));
        }
    }

    /** Gives an entry of this set another score. */
    void move(E entry, long score) {
        setScore(entry, score);
        moveDown(entry, moveUp(entry, slotOf(entry)));
    }

    /** Removes an entry of this set. */
    void remove(E entry) {
        weight -= entry.weight();
        E last = heap.remove(heap.size() - 1);
        if (last != entry) {
            moveDown(last, moveUp(last, slotOf(entry)));
        }
        if (heap.isEmpty()) {
            byId = null;
            greatestScore = Long.MIN_VALUE;
        } else if (byId != null) {
            byId.remove(entry.id());
        }
    }

    /** Removes and returns an entry; null when there is no such entry. */
    E remove(String id) {
        E entry = get(id);
        if (entry != null) {
            remove(entry);
        }
        return entry;
    }

    void clear() {
        heap.clear();
        weight = 0;
        byId = null;
        greatestScore = Long.MIN_VALUE;
    }

    /** What the entries weigh that have at most this score. The cost grows with their number. */
    int weightUpTo(long score) {
        return weightUpTo(0, score);
    }

    private int weightUpTo(int slot, long score) {
        return slot >= heap.size() || heap.get(slot).score() > score ? 0
                : heap.get(slot).weight() + weightUpTo(2 * slot + 1, score) + weightUpTo(2 * slot + 2, score);
    }

    /** All entries, in no order. */
    List<E> all() {
        return heap;
    }

    /**
     * The first entries above a score, in order. The cost grows with their number, and with that of the entries before them.
     */
    List<E> inOrder(int most, long above) {
        List<E> found = new ArrayList<>();
        PriorityQueue<E> next = new PriorityQueue<>((one, other) -> one.isBefore(other) ? -1 : 1);
        offer(next, 0);
        while (!next.isEmpty() && found.size() < most) {
            E entry = next.remove();
            if (entry.score() > above) {
                found.add(entry);
            }
            offer(next, 2 * slotOf(entry) + 1);
            offer(next, 2 * slotOf(entry) + 2);
        }
        return found;
    }

    private void offer(PriorityQueue<E> next, int slot) {
        if (slot < heap.size()) {
            next.add(heap.get(slot));
        }
    }

    private void setScore(Entry entry, long score) {
        entry.score = score;
        greatestScore = Math.max(greatestScore, score);
    }

    private int slotOf(Entry entry) {
        return entry.slot;
    }

    private int moveUp(E entry, int from) {
        int slot = from;
        while (slot > 0 && entry.isBefore(heap.get((slot - 1) / 2))) {
            put(heap.get((slot - 1) / 2), slot);
            slot = (slot - 1) / 2;
        }
        put(entry, slot);
        return slot;
    }

    private void moveDown(E entry, int from) {
        int slot = from;
        int child = lesserChild(slot);
        while (child < heap.size() && heap.get(child).isBefore(entry)) {
            put(heap.get(child), slot);
            slot = child;
            child = lesserChild(slot);
        }
        put(entry, slot);
    }

    private int lesserChild(int slot) {
        int left = 2 * slot + 1;
        return left + 1 < heap.size() && heap.get(left + 1).isBefore(heap.get(left)) ? left + 1 : left;
    }

    private void put(E entry, int slot) {
        Entry placed = entry;
        placed.slot = slot;
        heap.set(slot, entry);
    }
}
