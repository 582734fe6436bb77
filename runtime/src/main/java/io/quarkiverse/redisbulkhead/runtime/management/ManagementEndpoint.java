package io.quarkiverse.redisbulkhead.runtime.management;

import java.time.Duration;
import java.util.Optional;
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
import io.quarkiverse.redisbulkhead.runtime.overview.StateJson;
import io.smallrye.mutiny.Uni;
import io.vertx.core.net.SocketAddress;
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
        this.snapshots = new SharedReading<>(Uni.createFrom().completionStage(() -> overview.snapshot(MOST_LISTED)), FRESH,
                System::nanoTime);
        this.json = new StateJson(overview);
        this.targets = new OperatorTargets(registry, registry::undeclared, snapshots.get());
    }

    /**
     * Shows all bulkheads.
     *
     * @param ctx the request
     */
    void list(RoutingContext ctx) {
        Reply.json(ctx, () -> {
            int most = most(ctx);
            return snapshots.get().map(now -> json.all(now, most));
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
            return snapshots.get().map(now -> json.one(now, OperatorTargets.in(now, ctx.pathParam(NAME)), most));
        });
    }

    private static int most(RoutingContext ctx) {
        return Request.query(ctx, MOST, USUALLY_LISTED, MOST_LISTED);
    }

    /**
     * Takes a permit away.
     *
     * @param ctx the request
     */
    void revoke(RoutingContext ctx) {
        String permit = ctx.pathParam(PERMIT);
        Reply.done(ctx, () -> change(ctx, limit -> limit.revokeAsync(permit)).invoke(revoked -> {
            if (!revoked) {
                throw new Problem(404, "Bulkhead '" + ctx.pathParam(NAME)
                        + "' has no such permit. It may have been returned, its lease may have ended,"
                        + " or the id belongs to a call that is waiting");
            }
            log(ctx, "revoked permit " + permit + " of", "");
        }));
    }

    /**
     * Sets a limit.
     *
     * @param ctx the request
     */
    void resize(RoutingContext ctx) {
        Reply.done(ctx, () -> {
            int permits = Request.permits(ctx);
            return change(ctx, limit -> limit.resizeAsync(permits))
                    .invoke(() -> log(ctx, "set the limit of", " to " + permits));
        });
    }

    /**
     * Undoes {@link #resize}.
     *
     * @param ctx the request
     */
    void resetSize(RoutingContext ctx) {
        Reply.done(ctx, () -> change(ctx, RedisSemaphore::resetSizeAsync).invoke(() -> log(ctx, "reset the limit of", "")));
    }

    private <T> Uni<T> change(RoutingContext ctx, Function<RedisSemaphore, Uni<? extends T>> change) {
        // Requests that find no limit change nothing, and are no reason to look at Redis again.
        return targets.limit(ctx.pathParam(NAME), Request.query(ctx, KEY))
                .chain(limit -> change.apply(limit).onTermination().invoke(snapshots::forget));
    }

    // Without the text of the key, which may be confidential.
    private static void log(RoutingContext ctx, String change, String value) {
        String who = Optional.ofNullable(ctx.user()).map(User::principal).map(user -> user.getString("username"))
                .filter(user -> !user.isBlank()).map(user -> "User '" + user + "'")
                .orElseGet(() -> "anonymous (" + remoteAddress(ctx) + ")");
        String what = Request.query(ctx, KEY).isPresent() ? "a key of bulkhead" : "bulkhead";
        LOG.infof("%s %s %s '%s'%s through the management endpoint", who, change, what, ctx.pathParam(NAME), value);
    }

    // Behind a proxy, that of the client if quarkus.http.proxy says so. Null once the connection is closed.
    private static String remoteAddress(RoutingContext ctx) {
        SocketAddress address = ctx.request().remoteAddress();
        return address == null ? "address unknown" : address.hostAddress();
    }
}
