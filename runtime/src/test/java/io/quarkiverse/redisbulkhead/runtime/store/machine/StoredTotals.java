package io.quarkiverse.redisbulkhead.runtime.store.machine;

import java.util.Map;

import io.quarkiverse.redisbulkhead.runtime.store.ComparedShares.Stored;
import io.quarkiverse.redisbulkhead.runtime.store.ShareStore;
import io.vertx.core.json.JsonArray;

/** Rules about what is stored of a bulkhead, after any step. */
public final class StoredTotals {

    private StoredTotals() {
    }

    /** Checks that the totals are those of the records, and that nothing in the records is over. */
    public static void check(Stored stored) {
        String text = stored.fields().get("bulkhead");
        if (text == null) {
            return;
        }
        JsonArray totals = new JsonArray(text);
        long until = totals.getLong(9);
        // Redis's clock may have been set back, and the time to live was given by it.
        long kept = stored.fieldsExpire() + totals.getLong(7) / 1_000 + 1;
        long clock = totals.getLong(6) / 1_000;
        long held = 0;
        long count = 0;
        long keepers = 0;
        for (Map.Entry<String, String> field : stored.fields().entrySet()) {
            if (!StoredRecord.isRecord(field.getKey())) {
                continue;
            }
            StoredRecord record = new StoredRecord(field.getKey(), field.getValue());
            require(record.taken() >= record.offered && record.offered >= 0, "a share is not negative", stored);
            held += record.taken();
            keepers += record.isKeeper() ? 1 : 0;
            count += record.isHold() ? 0 : 1;
            require(record.groups.isEmpty() || stored.queue().containsKey(record.name), "who waits is in the queue", stored);
            require(kept >= record.end, "the hash outlives the share", stored);
            require(record.offered == 0 || record.stated + ShareStore.OFFER_MILLIS > clock, "an offer has ended", stored);
            require(record.taken() == 0 || record.end > clock, "a lease has ended", stored);
            require(until <= record.nextEnd(), "the lower bound of ends", stored);
        }
        stored.queue().entrySet().stream()
                .min(Map.Entry.<String, Long> comparingByValue().thenComparing(Map.Entry.comparingByKey()))
                .map(first -> "i:" + first.getKey()).filter(stored.fields()::containsKey)
                .map(field -> new StoredRecord(field, stored.fields().get(field)))
                .ifPresent(first -> require(first.waits(clock), "the head is dead", stored));
        require(held == totals.getLong(8), "the permits held are " + held, stored);
        require(count == totals.getLong(12), "the instances are " + count, stored);
        require(keepers == totals.getLong(13), "the keepers are " + keepers, stored);
    }

    private static void require(boolean good, String rule, Stored stored) {
        if (!good) {
            throw new AssertionError("totals: " + rule + " in " + stored);
        }
    }
}
