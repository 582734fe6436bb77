package io.quarkiverse.redisbulkhead.runtime.store.machine;

import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.redisbulkhead.runtime.store.ShareStore;
import io.vertx.core.json.JsonArray;

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
    /** How many calls were offered permits in this step. */
    long callsServed;

    ShareRecord(String instance) {
        this.instance = instance;
    }

    static ShareRecord parse(String instance, String text) {
        JsonArray values = new JsonArray(text);
        ShareRecord record = new ShareRecord(instance);
        record.number = values.getLong(0);
        record.epoch = values.getLong(1);
        record.granted = values.getLong(2);
        record.offered = values.getLong(3);
        record.returned = values.getLong(4);
        record.revoked = values.getLong(5);
        record.end = values.getLong(6);
        record.stated = values.getLong(7);
        record.keeps = values.getInteger(8) == 1;
        record.recalled = values.getLong(9);
        record.served = values.getLong(10);
        record.group = values.getLong(11);
        record.groupTicket = values.getLong(12);
        record.lease = values.getLong(13);
        record.limit = values.getInteger(14);
        record.full = values.getInteger(15) == 1;
        for (Object each : values.getJsonArray(16)) {
            JsonArray group = (JsonArray) each;
            record.groups.add(new Group(group.getLong(0), group.getInteger(1), group.getInteger(2)));
        }
        record.counted = record.isKeeper();
        return record;
    }

    String text() {
        JsonArray waiting = new JsonArray();
        groups.forEach(each -> waiting.add(JsonArray.of(each.ticket, each.weight, each.count)));
        return JsonArray.of(number, epoch, granted, offered, returned, revoked, end, stated, keeps ? 1 : 0, recalled, served,
                group, groupTicket, lease, limit, full ? 1 : 0, waiting).encode();
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
