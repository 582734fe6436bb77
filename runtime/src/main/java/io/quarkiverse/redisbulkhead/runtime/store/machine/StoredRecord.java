package io.quarkiverse.redisbulkhead.runtime.store.machine;

import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.redisbulkhead.runtime.store.ShareStore;
import io.quarkiverse.redisbulkhead.runtime.store.Statement.Need;
import io.vertx.core.json.JsonArray;

/**
 * The share of an instance, its lease and its calls that wait: the field {@code i:<instance>} of the hash. Or a share without
 * an instance: a permit that is detached, or within its minimum hold: {@code h:<id>}. If that was attached or revoked, its
 * record stays until it ends, so that a repeated statement neither attaches it twice nor creates it again. {@code share.lua}
 * documents the positions.
 */
final class StoredRecord {

    static final String SHARE = "i:";
    static final String HOLD = "h:";

    final String field;
    /** Of the instance; or the id of the permit. */
    final String name;
    long number;
    long epoch;
    long granted;
    /** The part of {@code granted} that is an offer. */
    long offered;
    long returned;
    long revoked;
    /** When the lease ends. */
    long end;
    /** When the execution started, for a permit that no instance holds. */
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
    /** The calls that wait; within a step, and behind them, those that do not wait. */
    final List<Need> groups = new ArrayList<>();

    // Only of a permit that no instance holds.
    String digest = "";
    /** The instance that attached it, in {@code epoch}; empty if it is not attached. */
    String by = "";
    /** How many permits that instance had been granted with it: if it knows of so many, it knows that it has attached it. */
    long byGranted;
    String method = "";

    /** Whether it counts as keeping in the totals. */
    boolean counted;
    /** How many calls were granted permits in this step. */
    long callsServed;

    /** A record that holds nothing yet. */
    StoredRecord(String field) {
        this.field = field;
        this.name = field.substring(SHARE.length());
    }

    /** Reads a field. */
    StoredRecord(String field, String text) {
        this(field);
        JsonArray values = new JsonArray(text);
        number = values.getLong(0);
        epoch = values.getLong(1);
        granted = values.getLong(2);
        offered = values.getLong(3);
        returned = values.getLong(4);
        revoked = values.getLong(5);
        end = values.getLong(6);
        stated = values.getLong(7);
        keeps = values.getInteger(8) == 1;
        recalled = values.getLong(9);
        served = values.getLong(10);
        group = values.getLong(11);
        groupTicket = values.getLong(12);
        lease = values.getLong(13);
        limit = values.getInteger(14);
        for (Object each : values.getJsonArray(15)) {
            JsonArray waiting = (JsonArray) each;
            groups.add(new Need(waiting.getLong(0), 0, waiting.getInteger(1), waiting.getInteger(2)));
        }
        if (isHold()) {
            digest = values.getString(16);
            by = values.getString(17);
            byGranted = values.getLong(18);
            method = values.getString(19);
        }
        counted = isKeeper();
    }

    /** The text of its field. */
    String text() {
        JsonArray waiting = new JsonArray();
        groups.forEach(each -> waiting.add(JsonArray.of(each.ticket(), each.weight(), each.count())));
        JsonArray values = JsonArray.of(number, epoch, granted, offered, returned, revoked, end, stated, keeps ? 1 : 0,
                recalled,
                served, group, groupTicket, lease, limit, waiting);
        if (isHold()) {
            values.add(digest).add(by).add(byGranted).add(method);
        }
        return values.encode();
    }

    /** Whether a field has a record. */
    static boolean isRecord(String field) {
        return field.startsWith(SHARE) || field.startsWith(HOLD);
    }

    boolean isHold() {
        return field.startsWith(HOLD);
    }

    /** How many permits it takes of the bulkhead. */
    long taken() {
        return granted - returned - revoked;
    }

    /** When something of it ends next. */
    long nextEnd() {
        if (offered > 0) {
            return Math.min(end, stated + ShareStore.OFFER_MILLIS);
        }
        return taken() > 0 ? end : Math.max(end, stated + ShareStore.WAITER_MILLIS);
    }

    /** Instances count as keeping only while they hold something. */
    boolean isKeeper() {
        return keeps && taken() > 0;
    }

    /** Whether calls wait, and their place in the queue still counts. */
    boolean waits(long now) {
        return !groups.isEmpty() && now - stated < ShareStore.WAITER_MILLIS;
    }
}
