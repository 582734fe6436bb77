package io.quarkiverse.redisbulkhead.runtime.store.machine;

import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;

import io.quarkiverse.redisbulkhead.runtime.store.ShareStore;

/**
 * What the store knows about one instance in one bulkhead: its share, its lease and its calls that wait. The text is that of
 * the field {@code i:<instance>}; {@code share.lua} documents the positions.
 */
final class ShareRecord {

    /** Calls of equal weight in the queue. */
    static final class Group {

        final long ticket;
        final int weight;
        int count;

        Group(long ticket, int weight, int count) {
            this.ticket = ticket;
            this.weight = weight;
            this.count = count;
        }
    }

    final String instance;
    long number;
    long epoch;
    long granted;
    /** The part of {@code granted} that is an offer. */
    long offered;
    long returned;
    long revoked;
    long end;
    long stated;
    boolean keeps;
    /** When the first recall was sent that no statement has answered; 0: none. */
    long recalled;
    long served;
    /** The last group that got a ticket, and its ticket, for repeated statements. */
    long group;
    long groupTicket;
    long lease;
    int limit;
    /** Whether it rejects calls by itself until a message says that a permit is free. */
    boolean full;
    List<Group> groups = new ArrayList<>();

    /** Whether it counted as keeping when it was loaded. */
    private boolean counted;
    /** How many permits were offered in this step. */
    long offeredNow;

    ShareRecord(String instance) {
        this.instance = instance;
    }

    static ShareRecord parse(String instance, String text) {
        String[] parts = text.split(" ");
        ShareRecord record = new ShareRecord(instance);
        record.number = Long.parseLong(parts[0]);
        record.epoch = Long.parseLong(parts[1]);
        record.granted = Long.parseLong(parts[2]);
        record.offered = Long.parseLong(parts[3]);
        record.returned = Long.parseLong(parts[4]);
        record.revoked = Long.parseLong(parts[5]);
        record.end = Long.parseLong(parts[6]);
        record.stated = Long.parseLong(parts[7]);
        record.keeps = parts[8].equals("1");
        record.recalled = Long.parseLong(parts[9]);
        record.served = Long.parseLong(parts[10]);
        record.group = Long.parseLong(parts[11]);
        record.groupTicket = Long.parseLong(parts[12]);
        record.lease = Long.parseLong(parts[13]);
        record.limit = Integer.parseInt(parts[14]);
        record.full = parts[15].equals("1");
        if (!parts[16].equals("-")) {
            for (String group : parts[16].split(";")) {
                String[] values = group.split(",");
                record.groups.add(new Group(Long.parseLong(values[0]), Integer.parseInt(values[1]),
                        Integer.parseInt(values[2])));
            }
        }
        record.counted = record.isKeeper();
        return record;
    }

    String text() {
        StringJoiner line = new StringJoiner(";").setEmptyValue("-");
        groups.forEach(group -> line.add(group.ticket + "," + group.weight + "," + group.count));
        return number + " " + epoch + " " + granted + " " + offered + " " + returned + " " + revoked + " " + end + " " + stated
                + " " + (keeps ? 1 : 0) + " " + recalled + " " + served + " " + group + " " + groupTicket + " " + lease + " "
                + limit + " " + (full ? 1 : 0) + " " + line;
    }

    /** How many permits it has. */
    long share() {
        return granted - returned - revoked;
    }

    /** Instances count as keeping only while they hold something. */
    boolean isKeeper() {
        return keeps && share() > 0;
    }

    /** By how much the number of keepers changes since this was asked last. */
    int newKeepers() {
        int more = (isKeeper() ? 1 : 0) - (counted ? 1 : 0);
        counted = isKeeper();
        return more;
    }

    boolean waits(long now) {
        return !groups.isEmpty() && now - stated < ShareStore.WAITER_MILLIS;
    }

    /** Whether its place in the queue still counts. */
    boolean isAlive(long now) {
        return waits(now) || full && now - stated < ShareStore.FULL_MILLIS;
    }

    /** When something of it ends next. */
    long nextEnd() {
        if (offered > 0) {
            return Math.min(end, stated + ShareStore.OFFER_MILLIS);
        }
        return share() > 0 ? end : Math.max(end, stated + ShareStore.WAITER_MILLIS);
    }
}
