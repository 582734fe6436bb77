package io.quarkiverse.redisbulkhead.runtime.store.lock;

import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;

/**
 * As much of a sorted set as a step needs: its size, its first members, and those that were asked for by id; and the
 * changes that the step makes to it.
 */
final class ScoredSet {

    /** A member and its score. */
    record Member(String id, long score) {
    }

    private static final Comparator<Member> ORDER = Comparator.comparingLong(Member::score).thenComparing(Member::id);

    private final byte[] key;
    private final Map<String, Member> members = new HashMap<>();
    private final NavigableSet<Member> order = new TreeSet<>(ORDER);

    /** Those that were asked for and are not there. */
    private final Set<String> absent = new HashSet<>();

    private long size;

    // Up to this one, all members are known; null when all there are are known.
    private Member horizon;

    private final Changes changes;

    /**
     * What was read.
     *
     * @param key the key
     * @param size how many members there are
     * @param first the first of them in order; all of them when they are as many
     */
    ScoredSet(byte[] key, long size, List<Member> first) {
        this.key = key;
        this.changes = Changes.ofSortedSet(key);
        this.size = size;
        know(first);
    }

    /** Adds what was read in order, from the first one on. */
    void know(List<Member> first) {
        first.forEach(member -> know(member.id(), OptionalLong.of(member.score())));
        // None, where it was emptied between the two questions; then the transaction is going to fail.
        horizon = first.isEmpty() || first.size() >= size ? null : first.get(first.size() - 1);
    }

    /** Adds what was read by id. */
    void know(String id, OptionalLong score) {
        if (score.isEmpty()) {
            absent.add(id);
        } else if (!members.containsKey(id)) {
            add(new Member(id, score.getAsLong()));
        }
    }

    private void add(Member member) {
        members.put(member.id(), member);
        order.add(member);
    }

    byte[] key() {
        return key;
    }

    /** Whether all members up to that score are known. */
    boolean reaches(long score) {
        return horizon == null || horizon.score() > score;
    }

    boolean isEmpty() {
        return size == 0;
    }

    /** How many members there are, with the changes. */
    long size() {
        return size;
    }

    /** The score of an id that was asked for, or that is among the first. */
    OptionalLong score(String id) {
        Member member = members.get(id);
        if (member != null) {
            return OptionalLong.of(member.score());
        }
        if (horizon != null && !absent.contains(id)) {
            throw new IllegalStateException("It was not read whether " + id + " is in " + keyName());
        }
        return OptionalLong.empty();
    }

    boolean contains(String id) {
        return score(id).isPresent();
    }

    /** The first member; empty when there is none, or none that is known to be the first. */
    Optional<Member> first() {
        return order.isEmpty() || isBeyondHorizon(order.first()) ? Optional.empty() : Optional.of(order.first());
    }

    /** The members in order, as far as they are known. */
    List<Member> inOrder() {
        return order.stream().takeWhile(member -> !isBeyondHorizon(member)).toList();
    }

    /** The members up to that score that are known. */
    List<Member> upTo(long score) {
        return order.stream().takeWhile(member -> member.score() <= score).toList();
    }

    /** The members with a greater score that are known. */
    List<Member> after(long score) {
        return order.stream().filter(member -> member.score() > score).toList();
    }

    /** The first member with a greater score that is known. */
    Optional<Member> firstAfter(long score) {
        return order.stream().filter(member -> member.score() > score).findFirst();
    }

    private boolean isBeyondHorizon(Member member) {
        return horizon != null && ORDER.compare(member, horizon) > 0;
    }

    void put(String id, long score) {
        Member old = members.get(id);
        if (old == null) {
            size++;
        } else {
            order.remove(old);
        }
        add(new Member(id, score));
        changes.write(id, score);
    }

    /** Removes an id, if it is there. One that was not asked for may be there and is counted until it is really gone. */
    void remove(String id) {
        Member old = members.remove(id);
        if (old != null) {
            order.remove(old);
            absent.add(id);
            size--;
        } else if (horizon == null || absent.contains(id)) {
            return;
        }
        changes.remove(id);
    }

    Changes changes() {
        return changes;
    }

    private String keyName() {
        return new String(key, StandardCharsets.UTF_8);
    }
}
