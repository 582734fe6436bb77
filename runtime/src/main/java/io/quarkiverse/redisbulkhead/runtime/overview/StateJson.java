package io.quarkiverse.redisbulkhead.runtime.overview;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.overview.Snapshot.BulkheadState;
import io.quarkiverse.redisbulkhead.runtime.overview.Snapshot.LimitState;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

/**
 * Snapshots as JSON, for the management endpoint, the Dev UI and Dev MCP: moments and durations in ISO-8601, and tokens as
 * strings, because JavaScript would round them. Members without a value are left out.
 */
public final class StateJson {

    private final Overview overview;

    /**
     * Reads nothing yet.
     *
     * @param overview knows how this application defines its bulkheads
     */
    public StateJson(Overview overview) {
        this.overview = overview;
    }

    /**
     * All bulkheads.
     *
     * @param snapshot the state
     * @param most how many holders, and how many waiters, to list for each limit
     * @return a new object
     */
    public JsonObject all(Snapshot snapshot, int most) {
        return moment(snapshot).put("bulkheads", array(snapshot.bulkheads(), bulkhead -> bulkhead(bulkhead, most)));
    }

    /**
     * One bulkhead.
     *
     * @param snapshot the state
     * @param bulkhead one of the snapshot
     * @param most how many holders, and how many waiters, to list for each limit
     * @return a new object
     */
    public JsonObject one(Snapshot snapshot, BulkheadState bulkhead, int most) {
        return moment(snapshot).mergeIn(bulkhead(bulkhead, most));
    }

    /**
     * When a snapshot was taken, and why it may be incomplete.
     *
     * @param snapshot the state
     * @return a new object
     */
    public static JsonObject moment(Snapshot snapshot) {
        JsonObject json = new JsonObject().put("at", text(snapshot.at()));
        snapshot.incomplete().ifPresent(why -> json.put("incomplete", why));
        return json;
    }

    private JsonObject bulkhead(BulkheadState bulkhead, int most) {
        JsonObject json = new JsonObject()
                .put("name", bulkhead.name())
                .put("declared", bulkhead.declared());
        Optional<DeclaredBulkhead> known = overview.definition(bulkhead.name());
        json.put("definedInCode", !bulkhead.declared() && known.isPresent()).put("keyed", bulkhead.keyed());
        known.ifPresent(here -> json.put("definition", definition(here)).put("methods", new JsonArray(here.methods())));
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
        json.put("minHold", spec.minHold().toString()).put("keepIdle", spec.keepIdle().toString());
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
                .put("declaredLimits", new JsonArray(List.copyOf(limit.declaredLimits())))
                .put("inUse", limit.inUse())
                .put("idle", limit.idle())
                .put("waiting", limit.waiting())
                .put("holders", holders(limit, most))
                .put("waiters", waiters(limit, most));
    }

    /**
     * The holders of a limit.
     *
     * @param limit one of a snapshot
     * @param most how many to list
     * @return a new array
     */
    public static JsonArray holders(LimitState limit, int most) {
        return array(first(limit.holders(), most), holder -> occupant(holder.permitId(), holder.weight(),
                holder.application(), holder.instance(), holder.method(), holder.since(), holder.until())
                .put("fencingToken", Long.toString(holder.ticket()))
                .put("state", text(holder.state())));
    }

    /**
     * The waiters of a limit.
     *
     * @param limit one of a snapshot
     * @param most how many to list
     * @return a new array
     */
    public static JsonArray waiters(LimitState limit, int most) {
        return array(first(limit.waiters(), most), waiter -> occupant(waiter.permitId(), waiter.weight(),
                waiter.application(), waiter.instance(), waiter.method(), waiter.since(), waiter.until())
                .put("ticket", Long.toString(waiter.ticket())));
    }

    private static JsonObject occupant(String permitId, int weight, String application, String instance, String method,
            Instant since, Instant until) {
        return new JsonObject().put("permitId", permitId).put("weight", weight).put("application", application)
                .put("instance", instance).put("method", method).put("since", text(since)).put("until", text(until));
    }

    private static void put(JsonObject json, String member, OptionalInt number) {
        number.ifPresent(value -> json.put(member, value));
    }

    /**
     * A moment as it is written everywhere.
     *
     * @param moment any
     * @return in UTC, to the millisecond
     */
    public static String text(Instant moment) {
        return moment.truncatedTo(ChronoUnit.MILLIS).toString();
    }

    private static String text(Enum<?> choice) {
        return choice.name().toLowerCase(Locale.ROOT);
    }

    private static <T> List<T> first(List<T> rows, int most) {
        return rows.subList(0, Math.min(most, rows.size()));
    }

    private static <T> JsonArray array(List<T> rows, Function<T, JsonObject> json) {
        return new JsonArray(rows.stream().map(json).toList());
    }
}
