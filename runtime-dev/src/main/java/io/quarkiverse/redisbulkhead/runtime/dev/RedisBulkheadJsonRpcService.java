package io.quarkiverse.redisbulkhead.runtime.dev;

import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Stream;

import jakarta.annotation.PreDestroy;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;

import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkiverse.redisbulkhead.runtime.BulkheadRegistry;
import io.quarkiverse.redisbulkhead.runtime.dev.LiveFeed.Seen;
import io.quarkiverse.redisbulkhead.runtime.dev.OperatorActions.Outcome;
import io.quarkiverse.redisbulkhead.runtime.overview.OperatorTargets;
import io.quarkiverse.redisbulkhead.runtime.overview.Overview;
import io.quarkiverse.redisbulkhead.runtime.overview.Snapshot.LimitState;
import io.quarkiverse.redisbulkhead.runtime.overview.StateJson;
import io.quarkus.runtime.annotations.DevMCPEnableByDefault;
import io.quarkus.runtime.annotations.JsonRpcDescription;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Vertx;
import io.vertx.core.impl.VertxInternal;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

/**
 * The methods of the Dev UI, and the tools of Dev MCP: methods with a description. Tools that change something are disabled
 * until the developer enables them. In dev mode only.
 */
public class RedisBulkheadJsonRpcService extends OptionalKeyTools {

    /** How many holders, and how many waiters, of each limit are listed. */
    static final int MOST_LISTED = 2_500;

    private static final String BULKHEAD = "The name of the bulkhead, as bulkheads lists it";
    private static final String KEY = "The key, if the bulkhead has one limit for each key. Otherwise omit it."
            + " An empty text counts as omitted";
    private static final String ANY_KEY = "One key of a bulkhead that has one limit for each key. Without it, or with"
            + " an empty text, all keys are listed";

    private final Overview overview;
    private final LiveFeed feed;
    private final StateJson json;
    private final OperatorActions actions;
    private final RecentLosses losses = new RecentLosses();
    private final InstantSource clock = InstantSource.system();

    /**
     * Creates the service.
     *
     * @param registry all bulkheads of the application
     * @param vertx runs the timer
     */
    @Inject
    public RedisBulkheadJsonRpcService(BulkheadRegistry registry, Vertx vertx) {
        // Not on the worker pool of Mutiny: guarded methods may block all of its threads.
        this(registry.overview(), registry, registry::undeclared, Multi.createFrom().ticks()
                .onExecutor(((VertxInternal) vertx).getEventLoopGroup()).startingAfter(LiveFeed.PERIOD).every(LiveFeed.PERIOD));
    }

    RedisBulkheadJsonRpcService(Overview overview, RedisBulkheads bulkheads, Function<String, RedisSemaphore> undeclared,
            Multi<?> ticks) {
        this.overview = overview;
        this.feed = new LiveFeed(Uni.createFrom().completionStage(() -> overview.snapshot(MOST_LISTED)), ticks,
                clock, System::nanoTime, LiveFeed.LASTS);
        this.json = new StateJson(overview);
        this.actions = new OperatorActions(new OperatorTargets(bulkheads, undeclared, feed.snapshot()), feed::forget);
    }

    @PreDestroy
    void stop() {
        feed.stop();
    }

    void onLost(@Observes PermitLost loss) {
        // A revocation is an operator's decision and not a problem, as for alerts.
        if (loss.reason() != PermitLost.Reason.REVOKED) {
            losses.add(loss, clock.instant());
        }
    }

    /**
     * The state of all bulkheads, once a second. For pages: not a tool.
     *
     * @return completes after ten seconds; subscribe again before that
     */
    public Multi<JsonObject> watch() {
        return feed.states().map(seen -> {
            JsonObject state = state(seen, MOST_LISTED);
            forEachLimit(state, (bulkhead, limit) -> {
                Optional<String> key = Optional.ofNullable(limit.getString("key"));
                limit.put("history", new JsonArray(feed.history().of(bulkhead, key)));
                limit.put("lost", losses.of(bulkhead, key, seen.at()));
            });
            return state.put("now", StateJson.text(seen.at()));
        });
    }

    /**
     * For the card.
     *
     * @return how many bulkheads this application declares
     */
    public String declaredCount() {
        return Integer.toString(overview.declared().size());
    }

    /**
     * All bulkheads, without their holders and waiters.
     *
     * @return an object with {@code bulkheads}, and {@code error} during an outage
     */
    @JsonRpcDescription("Lists every distributed bulkhead (semaphore) in Redis: those that this application declares with"
            + " @RedisBulkhead, and others in use there. For each limit (one for the bulkhead, or one for each key in use):"
            + " limit, inUse, idle (permits that instances keep for their next calls), waiting, whether it was resized, and"
            + " whether instances use different limits")
    @DevMCPEnableByDefault
    public Uni<JsonObject> bulkheads() {
        return feed.now().map(seen -> {
            JsonObject state = state(seen, 0);
            forEachLimit(state, (bulkhead, limit) -> {
                limit.remove("holders");
                limit.remove("waiters");
            });
            return state;
        });
    }

    private JsonObject state(Seen seen, int most) {
        JsonObject state = seen.snapshot().map(snapshot -> json.all(snapshot, most)).orElseGet(JsonObject::new);
        seen.error().ifPresent(error -> state.put("error", error));
        return state;
    }

    private static void forEachLimit(JsonObject state, BiConsumer<String, JsonObject> change) {
        objects(state, "bulkheads").forEach(bulkhead -> objects(bulkhead, "limits")
                .forEach(limit -> change.accept(bulkhead.getString("name"), limit)));
    }

    private static Stream<JsonObject> objects(JsonObject json, String array) {
        return json.getJsonArray(array, new JsonArray()).stream().map(JsonObject.class::cast);
    }

    /**
     * The holders of permits.
     *
     * @param bulkhead its name
     * @param key its key; empty for all
     * @return an object with {@code holders}, and with {@code error} during an outage; fails if there is no such bulkhead
     */
    @JsonRpcDescription("Lists who holds permits of a bulkhead now, over all applications: permit id, application, instance"
            + " (host:process), method, since when, until when the lease lasts unless renewed, the fencing token, and the"
            + " state: held, detached so that another process can attach it, released but taken until its minimum hold is over,"
            + " or silent: all permits of an instance that does not answer, since when, and until when they are taken")
    @DevMCPEnableByDefault
    @Override
    public Uni<JsonObject> holders(@JsonRpcDescription(BULKHEAD) String bulkhead,
            @JsonRpcDescription(ANY_KEY) Optional<String> key) {
        return listed("holders", bulkhead, key, limit -> StateJson.holders(limit, MOST_LISTED));
    }

    /**
     * The waiters for permits.
     *
     * @param bulkhead its name
     * @param key its key; empty for all
     * @return an object with {@code waiters}, and with {@code error} during an outage; fails if there is no such bulkhead
     */
    @JsonRpcDescription("Lists who waits for a permit of a bulkhead now, over all applications, in a fair bulkhead the next one"
            + " first: permit id, application, instance (host:process), method, since when, and the ticket")
    @DevMCPEnableByDefault
    @Override
    public Uni<JsonObject> waiters(@JsonRpcDescription(BULKHEAD) String bulkhead,
            @JsonRpcDescription(ANY_KEY) Optional<String> key) {
        return listed("waiters", bulkhead, key, limit -> StateJson.waiters(limit, MOST_LISTED));
    }

    private Uni<JsonObject> listed(String name, String bulkhead, Optional<String> key,
            Function<LimitState, JsonArray> list) {
        return feed.now().map(seen -> {
            OperatorActions.required("bulkhead", bulkhead);
            JsonObject answer = seen.snapshot().map(StateJson::moment).orElseGet(JsonObject::new);
            seen.error().ifPresent(error -> answer.put("error", error));
            List<LimitState> limits = seen.snapshot().stream()
                    .flatMap(snapshot -> OperatorTargets.limits(snapshot, bulkhead, key).stream()).toList();
            return answer.put(name, new JsonArray(limits.stream().flatMap(limit -> list.apply(limit).stream()
                    .map(one -> withKey((JsonObject) one, limit))).toList()));
        });
    }

    private static JsonObject withKey(JsonObject occupant, LimitState limit) {
        limit.key().ifPresent(key -> occupant.put("key", key));
        return occupant;
    }

    /**
     * How bulkheads are defined.
     *
     * @return an object with {@code bulkheads}
     */
    @JsonRpcDescription("Lists the definition of every bulkhead that this application declares: each value (permits, fair,"
            + " expire, max-wait, ...), whether an annotation, the configuration or a default states it and where, and the"
            + " guarded methods")
    @DevMCPEnableByDefault
    public JsonObject definitions() {
        return new JsonObject().put("bulkheads", new JsonArray(overview.declared().stream()
                .map(bulkhead -> new JsonObject().put("name", bulkhead.name()).put("enabled", bulkhead.enabled())
                        .put("keyed", bulkhead.keyed())
                        .put("values", new JsonArray(bulkhead.values().stream().map(value -> new JsonObject()
                                .put("member", value.member()).put("value", value.value())
                                .put("source", value.source().name().toLowerCase(Locale.ROOT)).put("where", value.where()))
                                .toList()))
                        .put("places", new JsonArray(bulkhead.places())).put("methods", new JsonArray(bulkhead.methods())))
                .toList()));
    }

    /**
     * Revokes a permit.
     *
     * @param bulkhead the bulkhead
     * @param key its key; empty if it has one limit for all calls
     * @param permitId the permit
     * @return the outcome; fails if there is no such limit, or Redis is unavailable
     */
    @JsonRpcDescription("Takes a permit away from its holder. The execution continues unless on-lost=interrupt is set there, so"
            + " more executions than the limit may run. Changes the shared state in Redis")
    @Override
    public Uni<Outcome> revoke(@JsonRpcDescription(BULKHEAD) String bulkhead, @JsonRpcDescription(KEY) Optional<String> key,
            @JsonRpcDescription("The permit's id, as holders lists it") String permitId) {
        return actions.revoke(bulkhead, key, permitId);
    }

    /**
     * Sets a limit for all applications.
     *
     * @param bulkhead the bulkhead
     * @param key its key; empty if it has one limit for all calls
     * @param permits the limit
     * @return the outcome; fails if there is no such limit, or Redis is unavailable
     */
    @JsonRpcDescription("Sets the limit of a bulkhead for all applications at once, whatever they define, until it is reset."
            + " Changes the shared state in Redis")
    @Override
    public Uni<Outcome> resize(@JsonRpcDescription(BULKHEAD) String bulkhead, @JsonRpcDescription(KEY) Optional<String> key,
            @JsonRpcDescription("The limit, at least 1") Integer permits) {
        return actions.resize(bulkhead, key, permits);
    }

    /**
     * Resets a limit.
     *
     * @param bulkhead the bulkhead
     * @param key its key; empty if it has one limit for all calls
     * @return the outcome; fails if there is no such limit, or Redis is unavailable
     */
    @JsonRpcDescription("Undoes resize: each application applies its own limit again. Changes the shared state in Redis")
    @Override
    public Uni<Outcome> resetSize(@JsonRpcDescription(BULKHEAD) String bulkhead,
            @JsonRpcDescription(KEY) Optional<String> key) {
        return actions.resetSize(bulkhead, key);
    }

    /**
     * {@link #revoke} for pages: not a tool. The empty text is a key.
     *
     * @param bulkhead the bulkhead
     * @param key its key; null if it has one limit for all calls
     * @param permitId the permit
     * @return the outcome; does not fail
     */
    public Uni<Outcome> revokeShown(String bulkhead, String key, String permitId) {
        return OperatorActions.shown(actions.revoke(bulkhead, Optional.ofNullable(key), permitId));
    }

    /**
     * {@link #resize} for pages: not a tool. The empty text is a key.
     *
     * @param bulkhead the bulkhead
     * @param key its key; null if it has one limit for all calls
     * @param permits the limit
     * @return the outcome; does not fail
     */
    public Uni<Outcome> resizeShown(String bulkhead, String key, Integer permits) {
        return OperatorActions.shown(actions.resize(bulkhead, Optional.ofNullable(key), permits));
    }

    /**
     * {@link #resetSize} for pages: not a tool. The empty text is a key.
     *
     * @param bulkhead the bulkhead
     * @param key its key; null if it has one limit for all calls
     * @return the outcome; does not fail
     */
    public Uni<Outcome> resetSizeShown(String bulkhead, String key) {
        return OperatorActions.shown(actions.resetSize(bulkhead, Optional.ofNullable(key)));
    }
}
