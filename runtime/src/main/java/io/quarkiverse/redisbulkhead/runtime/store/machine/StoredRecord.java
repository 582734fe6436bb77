package io.quarkiverse.redisbulkhead.runtime.store.machine;

import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.redisbulkhead.runtime.store.ShareStore;
import io.vertx.core.json.JsonArray;

/** What the store knows about one instance in one bulkhead, or about one permit that no instance holds. */
abstract sealed class StoredRecord {

    /** The field of the hash; and the name of the instance, or the id of the permit. */
    final String field;
    final String name;
    /** When its lease ends. */
    long end;

    private StoredRecord(String kind, String name) {
        this.field = kind + name;
        this.name = name;
    }

    /** Reads a field; null if it has no record. */
    static StoredRecord parse(String field, String text) {
        return field.startsWith(Share.FIELD) ? new Share(field.substring(Share.FIELD.length()), text)
                : field.startsWith(Hold.FIELD) ? new Hold(field.substring(Hold.FIELD.length()), text) : null;
    }

    /** The text of its field; {@code share.lua} documents the positions. */
    abstract String text();

    /** How many permits it takes of the bulkhead. */
    abstract long taken();

    /** When something of it ends next. */
    abstract long nextEnd();

    /** Takes so many permits away, if it has them; returns how many it had. */
    abstract long revoke(int permits);

    /** The share of an instance, its lease and its calls that wait: the field {@code i:<instance>}. */
    static final class Share extends StoredRecord {

        static final String FIELD = "i:";

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

        long number;
        long epoch;
        long granted;
        /** The part of {@code granted} that is an offer. */
        long offered;
        long returned;
        long revoked;
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

        /** Whether it counts as keeping in the totals. */
        boolean counted;
        /** How many calls were offered permits in this step. */
        long callsServed;

        Share(String instance) {
            super(FIELD, instance);
        }

        Share(String instance, String text) {
            super(FIELD, instance);
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
            full = values.getInteger(15) == 1;
            for (Object each : values.getJsonArray(16)) {
                JsonArray waiting = (JsonArray) each;
                groups.add(new Group(waiting.getLong(0), waiting.getInteger(1), waiting.getInteger(2)));
            }
            counted = isKeeper();
        }

        @Override
        String text() {
            JsonArray waiting = new JsonArray();
            groups.forEach(each -> waiting.add(JsonArray.of(each.ticket, each.weight, each.count)));
            return JsonArray.of(number, epoch, granted, offered, returned, revoked, end, stated, keeps ? 1 : 0, recalled,
                    served, group, groupTicket, lease, limit, full ? 1 : 0, waiting).encode();
        }

        @Override
        long taken() {
            return granted - returned - revoked;
        }

        @Override
        long nextEnd() {
            if (offered > 0) {
                return Math.min(end, stated + ShareStore.OFFER_MILLIS);
            }
            return taken() > 0 ? end : Math.max(end, stated + ShareStore.WAITER_MILLIS);
        }

        // An offer ends by itself, and its instance may not know it yet.
        @Override
        long revoke(int permits) {
            long taken = Math.max(0, Math.min(permits, taken() - offered));
            revoked += taken;
            return taken;
        }

        /** Instances count as keeping only while they hold something. */
        boolean isKeeper() {
            return keeps && taken() > 0;
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
    }

    /**
     * A permit that no instance holds: the field {@code h:<id>}. If it was attached or revoked, its record stays until it ends,
     * so that a repeated statement neither attaches it twice nor creates it again.
     */
    static final class Hold extends StoredRecord {

        static final String FIELD = "h:";

        int weight;
        final long started;
        final String digest;
        /** The instance that attached it; empty if it is not attached. */
        String by = "";
        /** The epoch in which it was attached. */
        long epoch;
        /**
         * How many permits that instance had been granted with it: if it knows of so many, it knows that it has attached it.
         */
        long granted;
        final String method;

        Hold(String id, int weight, long end, long started, String digest, String method) {
            super(FIELD, id);
            this.weight = weight;
            this.end = end;
            this.started = started;
            this.digest = digest;
            this.method = method;
        }

        Hold(String id, String text) {
            super(FIELD, id);
            JsonArray values = new JsonArray(text);
            weight = values.getInteger(0);
            end = values.getLong(1);
            started = values.getLong(2);
            digest = values.getString(3);
            by = values.getString(4);
            epoch = values.getLong(5);
            granted = values.getLong(6);
            method = values.getString(7);
        }

        @Override
        String text() {
            return JsonArray.of(weight, end, started, digest, by, epoch, granted, method).encode();
        }

        @Override
        long taken() {
            return by.isEmpty() ? weight : 0;
        }

        @Override
        long nextEnd() {
            return end;
        }

        @Override
        long revoke(int permits) {
            long taken = taken();
            weight -= (int) taken;
            return taken;
        }
    }
}
