package io.quarkiverse.redisbulkhead.runtime.dev;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Stream;

import jakarta.annotation.PreDestroy;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;

import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkiverse.redisbulkhead.runtime.BulkheadRegistry;
import io.quarkiverse.redisbulkhead.runtime.overview.Overview;
import io.quarkiverse.redisbulkhead.runtime.overview.Overview.Problem;
import io.quarkiverse.redisbulkhead.runtime.overview.Snapshot;
import io.quarkiverse.redisbulkhead.runtime.overview.Snapshot.BulkheadState;
import io.quarkiverse.redisbulkhead.runtime.store.Failures;
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
 * until the developer enables them. In dev mode only. All methods respond with JSON, which has an {@code error} if Redis or the
 * request is at fault.
 */
public class RedisBulkheadJsonRpcService {

    /** How often pages get a new state. */
    static final Duration PERIOD = Duration.ofSeconds(1);

    /**
     * How many states a subscription gets. The Dev UI does not report that a browser was closed: its router keeps the
     * subscription. So each one ends, and pages subscribe again before that.
     */
    static final int STATES = 10;

    private static final String BULKHEAD = "The name of the bulkhead, as bulkheads lists it";
    private static final String KEY = "The key, if the bulkhead has one limit for each key. Otherwise an empty text";
    private static final String ANY_KEY = "One key of a bulkhead that has one limit for each key. With an empty text, all keys"
            + " are listed";

    /**
     * The outcome of an action.
     *
     * @param done whether something was changed
     * @param message what, or why not
     */
    public record Outcome(boolean done, String message) {
    }

    private final Overview overview;
    private final Function<String, List<JsonObject>> values;
    private final Multi<?> ticks;
    private final InstantSource clock;
    private final RecentUse recently = new RecentUse();
    // The last known state.
    private volatile Snapshot latest;
    private volatile boolean stopped;

    /**
     * Creates the service.
     *
     * @param registry all bulkheads of the application
     * @param vertx runs the timer
     */
    @Inject
    public RedisBulkheadJsonRpcService(BulkheadRegistry registry, Vertx vertx) {
        // Not on the worker pool of Mutiny: guarded methods may block all of its threads.
        this(registry.overview(), new DefinedValues(registry.definitions())::of,
                Multi.createFrom().ticks().onExecutor(((VertxInternal) vertx).getEventLoopGroup())
                        .every(PERIOD),
                InstantSource.system());
    }

    RedisBulkheadJsonRpcService(Overview overview, Function<String, List<JsonObject>> values, Multi<?> ticks,
            InstantSource clock) {
        this.overview = overview;
        this.values = values;
        this.ticks = ticks;
        this.clock = clock;
    }

    @PreDestroy
    void stop() {
        stopped = true;
    }

    void onLost(@Observes PermitLost loss) {
        // A revocation is an operator's decision and not a problem, as for alerts.
        if (loss.reason() != PermitLost.Reason.REVOKED) {
            recently.add(loss, clock.instant());
        }
    }

    // ---- Looking

    // Pages and tools share readings. An error says why the last known state is not newer.
    private Uni<JsonObject> now(Function<Snapshot, JsonObject> content) {
        return overview.snapshot().invoke(snapshot -> {
            recently.add(snapshot);
            latest = snapshot;
        }).onItemOrFailure().transform((snapshot, failure) -> {
            JsonObject json = latest == null ? new JsonObject() : content.apply(latest);
            return failure == null ? json : json.put("error", Failures.text(failure));
        });
    }

    /**
     * The state of all bulkheads, now and then once a second. For pages: not a tool.
     *
     * @return completes after ten states; subscribe again before that
     */
    public Multi<JsonObject> watch() {
        return ticks.select().first(tick -> !stopped).select().first(STATES).onOverflow().drop()
                .onItem().transformToUniAndConcatenate(tick -> now(snapshot -> snapshot.json(Overview.MOST_LISTED)))
                .map(state -> {
                    forEachLimit(state, (bulkhead, limit) -> recently.addTo(limit, bulkhead));
                    return state.put("now", Snapshot.text(clock.instant()));
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
        return now(snapshot -> snapshot.json(0)).map(state -> {
            forEachLimit(state, (bulkhead, limit) -> {
                limit.remove("holders");
                limit.remove("waiters");
            });
            return state;
        });
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
     * @param key its key; null or empty for all
     * @return an object with {@code holders}, or {@code error}
     */
    @JsonRpcDescription("Lists who holds permits of a bulkhead now, across all applications: permit id, application, instance"
            + " (host:process), method, since when, until when the lease lasts unless renewed, the fencing token, and the"
            + " state: held, detached so that another process can attach it, released but taken until its minimum hold is over,"
            + " leaked by code that dropped it, or silent: all permits of an instance that does not answer, since when, and"
            + " until when they are taken")
    @DevMCPEnableByDefault
    public Uni<JsonObject> holders(@JsonRpcDescription(BULKHEAD) String bulkhead, @JsonRpcDescription(ANY_KEY) String key) {
        return listed("holders", bulkhead, key);
    }

    /**
     * The waiters for permits.
     *
     * @param bulkhead its name
     * @param key its key; null or empty for all
     * @return an object with {@code waiters}, or {@code error}
     */
    @JsonRpcDescription("Lists who waits for a permit of a bulkhead now, across all applications; in a fair bulkhead, the next"
            + " one first: permit id, application, instance (host:process), method, since when, and the ticket")
    @DevMCPEnableByDefault
    public Uni<JsonObject> waiters(@JsonRpcDescription(BULKHEAD) String bulkhead, @JsonRpcDescription(ANY_KEY) String key) {
        return listed("waiters", bulkhead, key);
    }

    private Uni<JsonObject> listed(String member, String bulkhead, String key) {
        return now(snapshot -> {
            BulkheadState state = snapshot.bulkhead(required("bulkhead", bulkhead));
            Optional<String> only = named(key);
            if (only.isPresent() && !state.keyed()) {
                throw new Problem(400, "Bulkhead '" + bulkhead + "' has one limit for all calls. Omit the key");
            }
            JsonArray all = new JsonArray();
            state.limits().stream().filter(limit -> only.isEmpty() || limit.key().equals(only))
                    .flatMap(limit -> objects(limit.json(Overview.MOST_LISTED), member).peek(
                            one -> limit.key().ifPresent(text -> one.put("key", text))))
                    .forEach(all::add);
            return snapshot.moment().put(member, all);
        }).onFailure().recoverWithItem(failure -> new JsonObject().put("error", Failures.text(failure)));
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
        return new JsonObject().put("bulkheads", new JsonArray(overview.declared().values().stream()
                .map(bulkhead -> new JsonObject().put("name", bulkhead.spec().name()).put("enabled", bulkhead.enabled())
                        .put("keyed", bulkhead.keyed())
                        .put("values", new JsonArray(values.apply(bulkhead.spec().name())))
                        .put("methods", new JsonArray(List.copyOf(bulkhead.weights().keySet()))))
                .toList()));
    }

    // ---- Changing

    /**
     * Revokes a permit.
     *
     * @param bulkhead the bulkhead
     * @param key its key; null or empty if it has one limit for all calls
     * @param permitId the permit
     * @return the outcome
     */
    @JsonRpcDescription("Takes a permit away from its holder. The execution continues unless on-lost=interrupt is set there, so"
            + " more executions than the limit may run. Changes the shared state in Redis")
    public Uni<Outcome> revoke(@JsonRpcDescription(BULKHEAD) String bulkhead, @JsonRpcDescription(KEY) String key,
            @JsonRpcDescription("The permit's id, as holders lists it") String permitId) {
        return change(bulkhead, key, limit -> limit.revokeAsync(required("permitId", permitId)), revoked -> revoked
                ? "The permit " + permitId
                        + " is revoked and free. Its process learns of the loss immediately, or with its next"
                        + " renewal"
                : null, "The permit " + permitId + " is no longer held");
    }

    /**
     * Sets a limit for all applications.
     *
     * @param bulkhead the bulkhead
     * @param key its key; null or empty if it has one limit for all calls
     * @param permits the limit
     * @return the outcome
     */
    @JsonRpcDescription("Sets the limit of a bulkhead for all applications, in place of their definitions, until it is reset."
            + " Changes the shared state in Redis")
    public Uni<Outcome> resize(@JsonRpcDescription(BULKHEAD) String bulkhead, @JsonRpcDescription(KEY) String key,
            @JsonRpcDescription("The limit, at least 1") Integer permits) {
        return change(bulkhead, key, limit -> limit.resizeAsync(required("permits", permits)),
                done -> "The limit of '" + bulkhead + "' is now " + permits + " for all applications", null);
    }

    /**
     * Resets a limit.
     *
     * @param bulkhead the bulkhead
     * @param key its key; null or empty if it has one limit for all calls
     * @return the outcome
     */
    @JsonRpcDescription("Undoes resize: each application applies its own limit again. Changes the shared state in Redis")
    public Uni<Outcome> resetSize(@JsonRpcDescription(BULKHEAD) String bulkhead, @JsonRpcDescription(KEY) String key) {
        return change(bulkhead, key, RedisSemaphore::resetSizeAsync,
                reset -> reset ? "Each application applies its own limit of '" + bulkhead + "' again" : null,
                "The limit of '" + bulkhead + "' was not resized");
    }

    private <T> Uni<Outcome> change(String bulkhead, String key, Function<RedisSemaphore, Uni<T>> change,
            Function<T, String> done, String unchanged) {
        return Uni.createFrom()
                .deferred(() -> overview.change(required("bulkhead", bulkhead), named(key), change))
                .map(answer -> Optional.ofNullable(done.apply(answer)).map(message -> new Outcome(true, message))
                        .orElseGet(() -> new Outcome(false, unchanged)))
                .onFailure().recoverWithItem(failure -> new Outcome(false, Failures.text(failure)));
    }

    /** Tools may omit anything, whatever their schema says. */
    private static <T> T required(String parameter, T value) {
        if (value == null) {
            throw new IllegalArgumentException(parameter + " is missing");
        }
        return value;
    }

    // Assistants also send arguments that they do not need.
    private static Optional<String> named(String key) {
        return Optional.ofNullable(key).filter(text -> !text.isEmpty());
    }
}
