package io.quarkiverse.redisbulkhead.runtime.store.machine;

import io.vertx.core.json.JsonArray;

/**
 * A permit that no instance holds. The text is that of the field {@code h:<id>}. The record of a permit that was attached or
 * revoked stays until it ends, so that a repeated statement neither attaches it twice nor creates it again.
 */
final class HoldRecord {

    final String id;
    int weight;
    final long end;
    final long started;
    final String digest;
    /** The instance that attached it; empty if it is not attached. */
    String by;
    /** The epoch in which it was attached. */
    long epoch;
    /** How many permits that instance had been granted with it: if it knows of so many, it knows that it has attached this. */
    long granted;
    final String method;

    HoldRecord(String id, int weight, long end, long started, String digest, String by, long epoch, long granted,
            String method) {
        this.id = id;
        this.weight = weight;
        this.end = end;
        this.started = started;
        this.digest = digest;
        this.by = by;
        this.epoch = epoch;
        this.granted = granted;
        this.method = method;
    }

    static HoldRecord parse(String id, String text) {
        JsonArray values = new JsonArray(text);
        return new HoldRecord(id, values.getInteger(0), values.getLong(1), values.getLong(2), values.getString(3),
                values.getString(4), values.getLong(5), values.getLong(6), values.getString(7));
    }

    String text() {
        return JsonArray.of(weight, end, started, digest, by, epoch, granted, method).encode();
    }

    /** Whether this instance has attached it and may not know. */
    boolean isToldTo(ShareRecord share, long known) {
        return by.equals(share.instance) && epoch == share.epoch && known < granted;
    }

    /** How many permits it takes beside the shares. */
    int taken() {
        return by.isEmpty() ? weight : 0;
    }
}
