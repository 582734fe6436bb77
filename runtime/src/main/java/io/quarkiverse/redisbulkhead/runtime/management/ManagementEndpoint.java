package io.quarkiverse.redisbulkhead.runtime.management;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkiverse.redisbulkhead.runtime.BulkheadRegistry;
import io.quarkiverse.redisbulkhead.runtime.overview.OperatorTargets;
import io.quarkiverse.redisbulkhead.runtime.overview.Overview;
import io.quarkiverse.redisbulkhead.runtime.overview.SharedReading;
import io.quarkiverse.redisbulkhead.runtime.overview.Snapshot;
import io.quarkiverse.redisbulkhead.runtime.overview.WrongTargetException;
import io.quarkiverse.redisbulkhead.runtime.store.Failures;
import io.smallrye.mutiny.Uni;
import io.vertx.ext.auth.User;
import io.vertx.ext.web.RoutingContext;

/**
 * Shows all bulkheads to operators over HTTP, and lets them change them. It never blocks, and however many ask, Redis is looked
 * through at most once a second.
 */
@Singleton
public class ManagementEndpoint {

    /** How many holders, and how many waiters, of each limit are shown unless the request says otherwise. */
    public static final int USUALLY_LISTED = 100;

    /** How many of each a request may ask for. */
    public static final int MOST_LISTED = 1_000;

    /** Parameters of paths and of queries. */
    static final String NAME = "name";
    static final String PERMIT = "permitId";
    private static final String KEY = "key";
    private static final String MOST = "most";

    private static final Logger LOG = Logger.getLogger(ManagementEndpoint.class);

    private static final Duration FRESH = Duration.ofSeconds(1);

    private final SharedReading<Snapshot> snapshots;
    private final StateJson json;
    private final OperatorTargets targets;

    /**
     * Asks nothing yet.
     *
     * @param registry knows the bulkheads
     */
    @Inject
    public ManagementEndpoint(BulkheadRegistry registry) {
        Overview overview = registry.overview();
        this.snapshots = new SharedReading<>(() -> overview.snapshot(MOST_LISTED), FRESH, System::nanoTime);
        this.json = new StateJson(overview.declared());
        this.targets = new OperatorTargets(registry, snapshots::get);
    }

    /**
     * Shows all bulkheads.
     *
     * @param ctx the request
     */
    void list(RoutingContext ctx) {
        Reply.json(ctx, () -> {
            int most = most(ctx);
            return snapshots.get().thenApply(now -> json.all(now, most));
        });
    }

    /**
     * Shows one bulkhead.
     *
     * @param ctx the request
     */
    void show(RoutingContext ctx) {
        Reply.json(ctx, () -> {
            int most = most(ctx);
            String name = ctx.pathParam(NAME);
            return snapshots.get().thenApply(now -> json.one(now, OperatorTargets.in(now, name), most));
        });
    }

    private static int most(RoutingContext ctx) {
        return new Query(ctx, Set.of(MOST)).number(MOST, USUALLY_LISTED, MOST_LISTED);
    }

    /**
     * Takes a permit away.
     *
     * @param ctx the request
     */
    void revoke(RoutingContext ctx) {
        Reply.done(ctx, () -> {
            String permit = ctx.pathParam(PERMIT);
            return change(ctx, limit -> limit.revokeAsync(permit)).thenAccept(revoked -> {
                if (!revoked) {
                    throw Problem.notFound("Bulkhead '" + ctx.pathParam(NAME)
                            + "' has no such permit. It may have been given back, its lease may have ended,"
                            + " or it is still waited for");
                }
                told(ctx, "revoked permit " + permit);
            });
        });
    }

    /**
     * Sets a limit.
     *
     * @param ctx the request
     */
    void resize(RoutingContext ctx) {
        Reply.done(ctx, () -> {
            int permits = LimitBody.permits(ctx);
            return change(ctx, limit -> limit.resizeAsync(permits))
                    .thenAccept(done -> told(ctx, "set the limit to " + permits));
        });
    }

    /**
     * Undoes {@link #resize}.
     *
     * @param ctx the request
     */
    void resetSize(RoutingContext ctx) {
        Reply.done(ctx, () -> change(ctx, RedisSemaphore::resetSizeAsync).thenAccept(done -> told(ctx, "reset the limit")));
    }

    private <T> CompletionStage<T> change(RoutingContext ctx, Function<RedisSemaphore, Uni<T>> change) {
        Optional<String> key = new Query(ctx, Set.of(KEY)).text(KEY);
        return targets.limit(ctx.pathParam(NAME), key).thenCompose(limit -> change.apply(limit).subscribeAsCompletionStage())
                .whenComplete((value, failure) -> {
                    // Requests that change nothing are no reason to look at Redis again.
                    if (!(Failures.cause(failure) instanceof WrongTargetException)) {
                        snapshots.forget();
                    }
                });
    }

    // Without the key, which is the business of those who called.
    private static void told(RoutingContext ctx, String what) {
        String who = Optional.ofNullable(ctx.user()).map(User::principal).map(user -> user.getString("username"))
                .filter(user -> !user.isBlank()).map(user -> "User '" + user + "'").orElse("An anonymous user");
        LOG.infof("%s %s of bulkhead '%s' by the management endpoint", who, what, ctx.pathParam(NAME));
    }
}
