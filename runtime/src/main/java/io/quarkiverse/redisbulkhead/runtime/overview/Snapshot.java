package io.quarkiverse.redisbulkhead.runtime.overview;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Occupancy;
import io.quarkiverse.redisbulkhead.runtime.definition.EffectiveDefinitions.EffectiveBulkhead;
import io.quarkiverse.redisbulkhead.runtime.message.NearestNames;
import io.quarkiverse.redisbulkhead.runtime.message.Texts;
import io.quarkiverse.redisbulkhead.runtime.overview.Overview.Problem;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

/**
 * All bulkheads at one moment, also as the JSON of the management endpoint, the Dev UI and Dev MCP: moments and durations in
 * ISO-8601, and tokens as strings, because JavaScript would round them. Members without a value are left out.
 *
 * @param at when this process asked, by its own clock
 * @param bulkheads those that are declared here, and all others that are in use, by name
 * @param incomplete why there may be more keys, or undeclared bulkheads, in use; empty when these are all
 */
public record Snapshot(Instant at, List<BulkheadState> bulkheads, Optional<String> incomplete) {

    /**
     * One of the bulkheads.
     *
     * @param name which
     * @return its state
     * @throws Problem if it is neither declared nor in use
     */
    public BulkheadState bulkhead(String name) {
        return bulkheads.stream().filter(bulkhead -> bulkhead.name().equals(name)).findFirst().orElseThrow(() -> {
            String others = incomplete.map(why -> "whether others use it is not known: " + why)
                    .orElse("no application uses it");
            return new Problem(404, "There is no bulkhead '" + name + "': this application does not declare it, and " + others
                    + "." + NearestNames.hint(name, bulkheads.stream().map(BulkheadState::name).toList(), "'"));
        });
    }

    /**
     * All bulkheads as JSON.
     *
     * @param most how many holders, and how many waiters, to list for each limit
     * @return a new object
     */
    public JsonObject json(int most) {
        return moment().put("bulkheads", array(bulkheads, bulkhead -> bulkhead.json(most)));
    }

    /**
     * One bulkhead as JSON.
     *
     * @param name which
     * @param most how many holders, and how many waiters, to list for each limit
     * @return a new object
     * @throws Problem if there is no such bulkhead
     */
    public JsonObject json(String name, int most) {
        return moment().mergeIn(bulkhead(name).json(most));
    }

    /**
     * When the snapshot was taken, and why it may be incomplete.
     *
     * @return a new object
     */
    public JsonObject moment() {
        JsonObject json = new JsonObject().put("at", text(at));
        incomplete.ifPresent(why -> json.put("incomplete", why));
        return json;
    }

    /**
     * A bulkhead at one moment.
     *
     * @param name its name
     * @param declared whether an annotation of this application declares it; else it is defined in code, behind a lock, or
     *        another application's
     * @param definition how this application defines it, in an annotation or in code; empty if it does not
     * @param keyed whether it has one limit for each key
     * @param limits its only limit, or that of each key that is in use, by key
     * @param keysWithoutText how many more keys are in use whose texts Redis does not keep, because they are long
     */
    public record BulkheadState(String name, boolean declared, Optional<EffectiveBulkhead> definition, boolean keyed,
            List<LimitState> limits, int keysWithoutText) {

        private JsonObject json(int most) {
            JsonObject json = new JsonObject().put("name", name).put("declared", declared)
                    .put("definedInCode", !declared && definition.isPresent()).put("keyed", keyed);
            definition.ifPresent(here -> json.put("definition", definitionJson(here)).put("methods",
                    new JsonArray(List.copyOf(here.weights().keySet()))));
            return json.put("keysWithoutText", keysWithoutText).put("limits", array(limits, limit -> limit.json(most)));
        }
    }

    /**
     * The values in force, for all who show them.
     *
     * @param bulkhead any
     * @return by member as in the configuration, in the order in which people read them; null for no bound. The weight is a
     *         number or a text, or a map of these by method if they differ.
     */
    public static Map<String, Object> values(EffectiveBulkhead bulkhead) {
        SemaphoreSpec spec = bulkhead.spec();
        Map<String, Object> weights = new TreeMap<>();
        bulkhead.weights().forEach((method, weight) -> weights.put(method,
                weight == EffectiveBulkhead.OF_THE_CALL ? "of the call" : (Object) weight));
        Set<Object> different = new HashSet<>(weights.values());
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("permits", spec.permits());
        values.put("weight",
                different.isEmpty() ? spec.weight() : different.size() == 1 ? different.iterator().next() : weights);
        values.put("fair", spec.fair());
        values.put("expire", spec.expire());
        values.put("max-wait", spec.maxWait());
        values.put("max-hold", spec.maxHold().orElse(null));
        values.put("min-hold", spec.minHold());
        values.put("keep-idle", spec.keepIdle());
        values.put("on-lost", spec.onLost());
        values.put("on-outage", spec.onOutage());
        values.put("local-permits", spec.localPermits());
        values.put("max-waiters", spec.maxWaiters().isPresent() ? spec.maxWaiters().getAsInt() : null);
        values.put("await-release", spec.awaitRelease());
        values.put("enabled", bulkhead.enabled());
        return values;
    }

    private static JsonObject definitionJson(EffectiveBulkhead bulkhead) {
        JsonObject json = new JsonObject();
        values(bulkhead).forEach((member, value) -> {
            if (value != null) {
                json.put(Texts.camelCase(member),
                        value instanceof Duration ? value.toString() : value instanceof Enum<?> choice ? text(choice) : value);
            }
        });
        return json;
    }

    /**
     * One limit at one moment: a bulkhead, or one of its keys.
     *
     * @param key the key; empty when the bulkhead is one limit for all
     * @param limit how many permits there are; empty when this application does not declare the bulkhead and instances have
     *        not declared exactly one limit within the last minute
     * @param now what uses it; lists fewer holders and waiters than there are when there are too many
     */
    public record LimitState(Optional<String> key, OptionalInt limit, Occupancy now) {

        /**
         * Whether instances use different limits, and no limit was set for all.
         *
         * @return {@code true} when more than one limit was declared within the last minute, and none was set for all
         */
        public boolean limitsDiffer() {
            return now.resizedTo().isEmpty() && now.declaredLimits().size() > 1;
        }

        /**
         * The limit as JSON.
         *
         * @param most how many holders, and how many waiters, to list
         * @return a new object
         */
        public JsonObject json(int most) {
            JsonObject json = new JsonObject();
            key.ifPresent(text -> json.put("key", text));
            limit.ifPresent(permits -> json.put("limit", permits));
            return json.put("resized", now.resizedTo().isPresent())
                    .put("limitsDiffer", limitsDiffer())
                    .put("declaredLimits", new JsonArray(List.copyOf(now.declaredLimits())))
                    .put("inUse", now.inUse())
                    .put("idle", now.idle())
                    .put("idleAt", new JsonObject(Map.copyOf(now.idleAt())))
                    .put("waiting", now.waiting())
                    .put("holders", array(now.holders().stream().limit(most).toList(), holder -> occupant(holder.permitId(),
                            holder.weight(), holder.application(), holder.instance(), holder.method(), holder.since(),
                            holder.until()).put("fencingToken", Long.toString(holder.ticket()))
                            .put("state", text(holder.state()))))
                    .put("waiters", array(now.waiters().stream().limit(most).toList(), waiter -> occupant(waiter.permitId(),
                            waiter.weight(), waiter.application(), waiter.instance(), waiter.method(), waiter.since(),
                            waiter.until()).put("ticket", Long.toString(waiter.ticket()))));
        }

        private static JsonObject occupant(String permitId, int weight, String application, String instance, String method,
                Instant since, Instant until) {
            return new JsonObject().put("permitId", permitId).put("weight", weight).put("application", application)
                    .put("instance", instance).put("method", method).put("since", text(since)).put("until", text(until));
        }
    }

    /**
     * A moment as JSON has it.
     *
     * @param moment any
     * @return in UTC, to the millisecond
     */
    public static String text(Instant moment) {
        return moment.truncatedTo(ChronoUnit.MILLIS).toString();
    }

    /**
     * A choice as the configuration writes it.
     *
     * @param choice any constant
     * @return in lower case
     */
    public static String text(Enum<?> choice) {
        return choice.name().toLowerCase(Locale.ROOT);
    }

    private static <T> JsonArray array(List<T> rows, Function<T, JsonObject> json) {
        return new JsonArray(rows.stream().map(json).toList());
    }
}
