package io.quarkiverse.redisbulkhead.runtime.management;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.Waiter;
import io.quarkiverse.redisbulkhead.runtime.overview.BulkheadState;
import io.quarkiverse.redisbulkhead.runtime.overview.DeclaredBulkhead;
import io.quarkiverse.redisbulkhead.runtime.overview.LimitState;
import io.quarkiverse.redisbulkhead.runtime.overview.Snapshot;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

/**
 * Snapshots as JSON: moments and durations in ISO-8601, tokens as strings, because they are greater than what JavaScript counts
 * exactly. Members without a value are left out.
 */
final class StateJson {

    private final Map<String, DeclaredBulkhead> declared;

    /**
     * @param declared how the bulkheads of this application are defined
     */
    StateJson(List<DeclaredBulkhead> declared) {
        this.declared = declared.stream().collect(Collectors.toMap(DeclaredBulkhead::name, Function.identity()));
    }

    /** All bulkheads, with at most so many holders and waiters of each limit. */
    JsonObject all(Snapshot snapshot, int most) {
        return moment(snapshot)
                .put("bulkheads", array(snapshot.bulkheads(), bulkhead -> bulkhead(bulkhead, most)));
    }

    /** One bulkhead. */
    JsonObject one(Snapshot snapshot, BulkheadState bulkhead, int most) {
        return moment(snapshot).mergeIn(bulkhead(bulkhead, most));
    }

    private static JsonObject moment(Snapshot snapshot) {
        JsonObject json = new JsonObject().put("at", text(snapshot.at()));
        snapshot.incomplete().ifPresent(why -> json.put("incomplete", why));
        return json;
    }

    private JsonObject bulkhead(BulkheadState bulkhead, int most) {
        JsonObject json = new JsonObject()
                .put("name", bulkhead.name())
                .put("declared", bulkhead.declared())
                .put("keyed", bulkhead.keyed());
        DeclaredBulkhead known = declared.get(bulkhead.name());
        if (known != null) {
            json.put("definition", definition(known)).put("methods", new JsonArray(known.methods()));
        }
        return json.put("keysWithoutText", bulkhead.keysWithoutText())
                .put("limits", array(bulkhead.limits(), limit -> limit(limit, most)));
    }

    private static JsonObject definition(DeclaredBulkhead bulkhead) {
        SemaphoreSpec spec = bulkhead.spec();
        JsonObject json = new JsonObject()
                .put("enabled", bulkhead.enabled())
                .put("permits", spec.permits())
                .put("weight", spec.weight())
                .put("fair", spec.fair())
                .put("expire", spec.expire().toString())
                .put("maxWait", spec.maxWait().toString());
        spec.maxHold().ifPresent(bound -> json.put("maxHold", bound.toString()));
        json.put("minHold", spec.minHold().toString());
        put(json, "maxWaiters", spec.maxWaiters());
        return json.put("onLost", text(spec.onLost()))
                .put("onOutage", text(spec.onOutage()))
                .put("localPermits", spec.localPermits())
                .put("awaitRelease", spec.awaitRelease());
    }

    private static JsonObject limit(LimitState limit, int most) {
        JsonObject json = new JsonObject();
        limit.key().ifPresent(key -> json.put("key", key));
        put(json, "limit", limit.limit());
        return json.put("resized", limit.resized())
                .put("limitsDiffer", limit.limitsDiffer())
                .put("statedLimits", new JsonArray(List.copyOf(limit.statedLimits())))
                .put("inUse", limit.inUse())
                .put("waiting", limit.waiting())
                .put("holders", array(limit.holders().stream().limit(most).toList(), StateJson::holder))
                .put("waiters", array(limit.waiters().stream().limit(most).toList(), StateJson::waiter));
    }

    private static void put(JsonObject json, String member, OptionalInt number) {
        number.ifPresent(value -> json.put(member, value));
    }

    private static JsonObject holder(Holder holder) {
        return new JsonObject()
                .put("permitId", holder.permitId())
                .put("weight", holder.weight())
                .put("fencingToken", Long.toString(holder.ticket()))
                .put("application", holder.application())
                .put("instance", holder.instance())
                .put("method", holder.method())
                .put("since", text(holder.since()))
                .put("until", text(holder.until()))
                .put("state", text(holder.state()));
    }

    private static JsonObject waiter(Waiter waiter) {
        return new JsonObject()
                .put("permitId", waiter.permitId())
                .put("weight", waiter.weight())
                .put("ticket", Long.toString(waiter.ticket()))
                .put("application", waiter.application())
                .put("instance", waiter.instance())
                .put("method", waiter.method())
                .put("since", text(waiter.since()))
                .put("until", text(waiter.until()));
    }

    private static String text(Instant moment) {
        return moment.truncatedTo(ChronoUnit.MILLIS).toString();
    }

    private static String text(Enum<?> choice) {
        return choice.name().toLowerCase(Locale.ROOT);
    }

    private static <T> JsonArray array(List<T> rows, Function<T, JsonObject> json) {
        JsonArray array = new JsonArray();
        rows.forEach(row -> array.add(json.apply(row)));
        return array;
    }
}
