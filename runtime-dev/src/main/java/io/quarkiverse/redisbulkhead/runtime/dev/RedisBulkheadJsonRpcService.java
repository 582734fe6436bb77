package io.quarkiverse.redisbulkhead.runtime.dev;

import java.time.InstantSource;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Stream;

import jakarta.annotation.PreDestroy;
import jakarta.inject.Inject;

import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.runtime.BulkheadRegistry;
import io.quarkiverse.redisbulkhead.runtime.dev.LiveFeed.Seen;
import io.quarkiverse.redisbulkhead.runtime.dev.OperatorActions.Outcome;
import io.quarkiverse.redisbulkhead.runtime.overview.LimitState;
import io.quarkiverse.redisbulkhead.runtime.overview.OperatorTargets;
import io.quarkiverse.redisbulkhead.runtime.overview.Overview;
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
 * What the Dev UI asks, and the tools of Dev MCP: those that have a description. Tools that change something are off until the
 * developer switches them on. In dev mode only.
 */
public class RedisBulkheadJsonRpcService {

    /** How many holders, and how many waiters, of each limit are listed. */
    static final int MOST_LISTED = 2_500;

    private static final String BULKHEAD = "The name of the bulkhead, as bulkheads lists it";
    private static final String KEY = "The key, where the bulkhead has one limit for each key; else an empty text";

    private final Overview overview;
    private final LiveFeed feed;
    private final StateJson json;
    private final OperatorActions actions;

    /**
     * Creates the service.
     *
     * @param registry all bulkheads of the application
     * @param vertx runs the timer
     */
    @Inject
    public RedisBulkheadJsonRpcService(BulkheadRegistry registry, Vertx vertx) {
        // Not on the worker pool of Mutiny: guarded methods may block all of its threads.
        this(registry.overview(), registry, Multi.createFrom().ticks()
                .onExecutor(((VertxInternal) vertx).getEventLoopGroup()).startingAfter(LiveFeed.PERIOD).every(LiveFeed.PERIOD));
    }

    RedisBulkheadJsonRpcService(Overview overview, RedisBulkheads bulkheads, Multi<?> ticks) {
        this.overview = overview;
        this.feed = new LiveFeed(Uni.createFrom().completionStage(() -> overview.snapshot(MOST_LISTED)), ticks,
                InstantSource.system(), System::nanoTime);
        this.json = new StateJson(overview.declared());
        this.actions = new OperatorActions(new OperatorTargets(bulkheads, feed.snapshot()), feed::forget);
    }

    @PreDestroy
    void stop() {
        feed.stop();
    }

    /**
     * The state of all bulkheads, once a second. For pages: not a tool.
     *
     * @return ends by itself after ten seconds; subscribe again before that
     */
    public Multi<JsonObject> watch() {
        return feed.states().map(seen -> {
            JsonObject state = state(seen, MOST_LISTED);
            eachLimit(state, (bulkhead, limit) -> limit.put("history", new JsonArray(
                    feed.history().of(bulkhead, Optional.ofNullable(limit.getString("key"))))));
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
     * @return an object with {@code bulkheads}, and {@code error} when Redis is away
     */
    @JsonRpcDescription("Lists every distributed bulkhead (semaphore) in Redis: those that this application declares with"
            + " @RedisBulkhead, and others in use there. For each limit (one for the bulkhead, or one for each key in use):"
            + " limit, inUse, waiting, whether it was resized, and whether instances disagree about it")
    @DevMCPEnableByDefault
    public Uni<JsonObject> bulkheads() {
        return feed.now().map(seen -> {
            JsonObject state = state(seen, 0);
            eachLimit(state, (bulkhead, limit) -> {
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

    private static void eachLimit(JsonObject state, BiConsumer<String, JsonObject> change) {
        objects(state, "bulkheads").forEach(bulkhead -> objects(bulkhead, "limits")
                .forEach(limit -> change.accept(bulkhead.getString("name"), limit)));
    }

    private static Stream<JsonObject> objects(JsonObject json, String array) {
        return json.getJsonArray(array, new JsonArray()).stream().map(JsonObject.class::cast);
    }

    /**
     * Who holds permits.
     *
     * @param bulkhead its name
     * @param key its key
     * @return an object with {@code holders}, or {@code error}
     */
    @JsonRpcDescription("Lists who holds permits of a bulkhead now, over all applications: permit id, application, instance"
            + " (host:process), method, since when, until when the lease lasts unless renewed, the fencing token, and the"
            + " state: held, detached so that another process can attach it, or released but taken until its minimum hold is over")
    @DevMCPEnableByDefault
    public Uni<JsonObject> holders(@JsonRpcDescription(BULKHEAD) String bulkhead, @JsonRpcDescription(KEY) String key) {
        return listed("holders", bulkhead, key, limit -> StateJson.holders(limit, MOST_LISTED));
    }

    /**
     * Who waits for permits.
     *
     * @param bulkhead its name
     * @param key its key
     * @return an object with {@code waiters}, or {@code error}
     */
    @JsonRpcDescription("Lists who waits for a permit of a bulkhead now, over all applications, in a fair bulkhead the next one"
            + " first: permit id, application, instance (host:process), method, since when, and the ticket")
    @DevMCPEnableByDefault
    public Uni<JsonObject> waiters(@JsonRpcDescription(BULKHEAD) String bulkhead, @JsonRpcDescription(KEY) String key) {
        return listed("waiters", bulkhead, key, limit -> StateJson.waiters(limit, MOST_LISTED));
    }

    private Uni<JsonObject> listed(String name, String bulkhead, String key, Function<LimitState, JsonArray> list) {
        return feed.now().map(seen -> {
            Optional<LimitState> limit = seen.snapshot().stream().flatMap(snapshot -> snapshot.bulkheads().stream())
                    .filter(one -> one.name().equals(bulkhead)).flatMap(one -> one.limits().stream())
                    .filter(one -> one.key().orElse("").equals(Objects.requireNonNullElse(key, ""))).findFirst();
            JsonObject answer = seen.snapshot().map(StateJson::moment).orElseGet(JsonObject::new);
            seen.error().ifPresent(error -> answer.put("error", error));
            if (limit.isEmpty() && seen.error().isEmpty()) {
                answer.put("note", "No permit of this bulkhead and key is held or waited for");
            }
            return answer.put(name, limit.map(list).orElseGet(JsonArray::new));
        });
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
     * Takes a permit away.
     *
     * @param bulkhead the bulkhead
     * @param key its key
     * @param permitId the permit
     * @return what became of it
     */
    @JsonRpcDescription("Takes a permit away from its holder. The execution goes on unless on-lost=interrupt is set there, so"
            + " more executions than the limit may run. Changes the shared state in Redis")
    public Uni<Outcome> revoke(@JsonRpcDescription(BULKHEAD) String bulkhead, @JsonRpcDescription(KEY) String key,
            @JsonRpcDescription("The permit's id, as holders lists it") String permitId) {
        return actions.revoke(bulkhead, named(key), permitId);
    }

    /**
     * Sets a limit for all applications.
     *
     * @param bulkhead the bulkhead
     * @param key its key
     * @param permits the limit
     * @return what became of it
     */
    @JsonRpcDescription("Sets the limit of a bulkhead for all applications at once, whatever they define, until it is reset."
            + " Changes the shared state in Redis")
    public Uni<Outcome> resize(@JsonRpcDescription(BULKHEAD) String bulkhead, @JsonRpcDescription(KEY) String key,
            @JsonRpcDescription("The limit, at least 1") Integer permits) {
        return actions.resize(bulkhead, named(key), permits);
    }

    /**
     * Undoes that.
     *
     * @param bulkhead the bulkhead
     * @param key its key
     * @return what became of it
     */
    @JsonRpcDescription("Undoes resize: every application goes by its own limit again. Changes the shared state in Redis")
    public Uni<Outcome> resetSize(@JsonRpcDescription(BULKHEAD) String bulkhead, @JsonRpcDescription(KEY) String key) {
        return actions.resetSize(bulkhead, named(key));
    }

    // Tools cannot leave a parameter out, so they say that there is no key by an empty one.
    private static Optional<String> named(String key) {
        return Optional.ofNullable(key).filter(text -> !text.isEmpty());
    }

    /**
     * {@link #revoke} for pages: not a tool. Their keys are as they are, and the empty one is a key.
     *
     * @param bulkhead the bulkhead
     * @param key its key; null when it is one limit for all
     * @param permitId the permit
     * @return what became of it
     */
    public Uni<Outcome> revokeShown(String bulkhead, String key, String permitId) {
        return actions.revoke(bulkhead, Optional.ofNullable(key), permitId);
    }

    /**
     * {@link #resize} for pages: not a tool.
     *
     * @param bulkhead the bulkhead
     * @param key its key; null when it is one limit for all
     * @param permits the limit
     * @return what became of it
     */
    public Uni<Outcome> resizeShown(String bulkhead, String key, Integer permits) {
        return actions.resize(bulkhead, Optional.ofNullable(key), permits);
    }

    /**
     * {@link #resetSize} for pages: not a tool.
     *
     * @param bulkhead the bulkhead
     * @param key its key; null when it is one limit for all
     * @return what became of it
     */
    public Uni<Outcome> resetSizeShown(String bulkhead, String key) {
        return actions.resetSize(bulkhead, Optional.ofNullable(key));
    }
}
