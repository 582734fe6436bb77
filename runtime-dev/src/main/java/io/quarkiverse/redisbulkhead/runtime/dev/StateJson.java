package io.quarkiverse.redisbulkhead.runtime.dev;

import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.Waiter;
import io.quarkiverse.redisbulkhead.runtime.overview.BulkheadState;
import io.quarkiverse.redisbulkhead.runtime.overview.DeclaredBulkhead;
import io.quarkiverse.redisbulkhead.runtime.overview.LimitState;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

/**
 * The state as JSON. Times are milliseconds since 1970 for pages, and ISO-8601 for tools. Tokens and tickets are texts: they
 * have more digits than the numbers of JavaScript keep.
 */
final class StateJson {

    private final Map<String, DeclaredBulkhead> declared = new HashMap<>();

    /**
     * @param declared the bulkheads of this application
     */
    StateJson(Collection<DeclaredBulkhead> declared) {
        declared.forEach(bulkhead -> this.declared.put(bulkhead.name(), bulkhead));
    }

    /**
     * Everything, for pages.
     *
     * @param seen the state
     * @return {@code now} and, where known, {@code at}, {@code error}, {@code incomplete} and {@code bulkheads}
     */
    JsonObject everything(Seen seen) {
        JsonObject json = new JsonObject().put("now", seen.at().toEpochMilli());
        seen.error().ifPresent(error -> json.put("error", error));
        seen.snapshot().ifPresent(snapshot -> {
            json.put("at", snapshot.at().toEpochMilli());
            snapshot.incomplete().ifPresent(reason -> json.put("incomplete", reason));
            json.put("bulkheads", array(snapshot.bulkheads().stream().map(bulkhead -> bulkhead(bulkhead)
                    .put("limits", array(bulkhead.limits().stream().map(limit -> limit(limit)
                            .put("history", new JsonArray(
                                    seen.history().getOrDefault(new LimitId(bulkhead.name(), limit.key()), List.of())))
                            .put("holders", array(limit.holders().stream().map(StateJson::live).toList()))
                            .put("waiters", array(limit.waiters().stream().map(StateJson::live).toList()))).toList())))
                    .toList()));
        });
        return json;
    }

    /**
     * All bulkheads without holders and waiters, for tools.
     *
     * @param seen the state
     * @return {@code asOf} and {@code bulkheads} where known, {@code error} where there is one
     */
    JsonObject summary(Seen seen) {
        JsonObject json = about(seen);
        seen.snapshot().ifPresent(snapshot -> json.put("bulkheads", array(snapshot.bulkheads().stream()
                .map(bulkhead -> bulkhead(bulkhead).put("limits",
                        array(bulkhead.limits().stream().map(StateJson::limit).toList())))
                .toList())));
        return json;
    }

    /**
     * The head of an answer to tools.
     *
     * @param seen the state
     * @return {@code asOf}, {@code error} and {@code incomplete}, where there are such
     */
    static JsonObject about(Seen seen) {
        JsonObject json = new JsonObject();
        seen.error().ifPresent(error -> json.put("error", error));
        seen.snapshot().ifPresent(snapshot -> {
            json.put("asOf", snapshot.at().toString());
            snapshot.incomplete().ifPresent(reason -> json.put("incomplete", reason));
        });
        return json;
    }

    private JsonObject bulkhead(BulkheadState bulkhead) {
        JsonObject json = new JsonObject().put("name", bulkhead.name()).put("declared", bulkhead.declared())
                .put("keyed", bulkhead.keyed());
        if (bulkhead.keysWithoutText() > 0) {
            json.put("keysWithoutText", bulkhead.keysWithoutText());
        }
        DeclaredBulkhead definition = declared.get(bulkhead.name());
        if (definition != null) {
            json.put("permits", definition.spec().permits()).put("fair", definition.spec().fair())
                    .put("enabled", definition.enabled()).put("expireMillis", definition.spec().expire().toMillis());
        }
        return json;
    }

    private static JsonObject limit(LimitState limit) {
        JsonObject json = new JsonObject();
        limit.key().ifPresent(key -> json.put("key", key));
        if (limit.limit().isPresent()) {
            json.put("limit", limit.limit().getAsInt());
        }
        return json.put("inUse", limit.inUse()).put("waiting", limit.waiting()).put("resized", limit.resized())
                .put("limitsDiffer", limit.limitsDiffer())
                .put("statedLimits", new JsonArray(List.copyOf(limit.statedLimits())));
    }

    private static JsonObject live(Holder holder) {
        return live(who(holder), holder.since(), holder.until());
    }

    private static JsonObject live(Waiter waiter) {
        return live(who(waiter), waiter.since(), waiter.until());
    }

    private static JsonObject live(JsonObject who, Instant since, Instant until) {
        return who.put("since", since.toEpochMilli()).put("until", until.toEpochMilli());
    }

    /** A holder, for tools. */
    static JsonObject holder(Holder holder) {
        return who(holder)
                .put("since", holder.since().toString()).put("leaseEnds", holder.until().toString());
    }

    /** A waiter, for tools. */
    static JsonObject waiter(Waiter waiter) {
        return who(waiter)
                .put("since", waiter.since().toString()).put("placeGivenUp", waiter.until().toString());
    }

    private static JsonObject who(Holder holder) {
        return who(holder.permitId(), holder.application(), holder.instance(), holder.method())
                .put("weight", holder.weight()).put("fencingToken", Long.toString(holder.ticket()))
                .put("state", holder.state().name().toLowerCase(Locale.ROOT));
    }

    private static JsonObject who(Waiter waiter) {
        return who(waiter.permitId(), waiter.application(), waiter.instance(), waiter.method())
                .put("weight", waiter.weight()).put("ticket", Long.toString(waiter.ticket()));
    }

    private static JsonObject who(String permitId, String application, String instance, String method) {
        return new JsonObject().put("permitId", permitId).put("application", application).put("instance", instance)
                .put("method", method);
    }

    /** A list as JSON. */
    static JsonArray array(List<JsonObject> items) {
        return new JsonArray(items);
    }
}
