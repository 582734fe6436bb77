package io.quarkiverse.redisbulkhead.behaviour;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.opentelemetry.api.trace.Span;
import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkus.arc.Arc;
import io.quarkus.security.identity.IdentityProviderManager;
import io.quarkus.security.identity.SecurityIdentity;
import io.quarkus.security.identity.request.AuthenticationRequest;
import io.quarkus.security.runtime.QuarkusPrincipal;
import io.quarkus.security.runtime.QuarkusSecurityIdentity;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.vertx.http.runtime.security.ChallengeData;
import io.quarkus.vertx.http.runtime.security.HttpAuthenticationMechanism;
import io.smallrye.common.annotation.Blocking;
import io.smallrye.common.annotation.NonBlocking;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.ext.web.RoutingContext;

/**
 * Trap 30: after a wait, the guarded method and its continuations run on the caller's Vert.x context, on the same kind of
 * thread, with the same CDI request context, security identity and span.
 */
@QuarkusTest
class WaitingCallerContextTest {

    private static final Duration LONG = Duration.ofSeconds(20);

    @Inject
    RedisBulkheads bulkheads;

    @ParameterizedTest
    @ValueSource(strings = { "uni", "uni-worker", "stage", "stage-worker", "multi", "multi-worker", "synchronous", "code",
            "code-worker", "acquire", "acquire-worker" })
    void runsInTheContextOfTheCaller(String kind) throws Exception {
        RedisSemaphore semaphore = bulkheads.semaphore("waiting-context");
        Caller<String> caller;
        try (Permit taken = semaphore.acquire(LONG)) {
            caller = Caller.of(() -> given().header("user", "alice").queryParam("tenant", kind)
                    .get("/waiting-context/" + kind).then().statusCode(200).extract().asString());
            await().atMost(LONG).pollDelay(Duration.ZERO).until(() -> semaphore.status().waiting() == 1);
        }
        assertThat(caller.result()).isEqualTo("same context, same thread kind, tenant " + kind + ", user alice, same trace");
    }

    record Place(Context context, boolean eventLoop, String trace) {

        static Place here() {
            return new Place(Vertx.currentContext(), Context.isOnEventLoopThread(),
                    Span.current().getSpanContext().getTraceId());
        }

        String compare(Place other, String tenant, String user) {
            return (context == other.context ? "same" : "other") + " context, "
                    + (eventLoop == other.eventLoop ? "same" : "other") + " thread kind, tenant " + tenant + ", user " + user
                    + ", " + (trace.equals(other.trace) && !trace.matches("0+") ? "same" : "other") + " trace";
        }
    }

    @Path("/waiting-context")
    public static class Endpoints {

        @Inject
        Guarded guarded;

        @Inject
        Tenant tenant;

        @Inject
        SecurityIdentity identity;

        @Inject
        RedisBulkheads bulkheads;

        @GET
        @Path("/uni")
        public Uni<String> uni(@QueryParam("tenant") String name) {
            Place here = enter(name);
            return guarded.uni(here).map(inside -> both(inside, here));
        }

        @GET
        @Path("/uni-worker")
        @Blocking
        public Uni<String> uniWorker(@QueryParam("tenant") String name) {
            return uni(name);
        }

        @GET
        @Path("/stage")
        @NonBlocking
        public CompletionStage<String> stage(@QueryParam("tenant") String name) {
            Place here = enter(name);
            return guarded.stage(here).thenApply(inside -> both(inside, here));
        }

        @GET
        @Path("/stage-worker")
        @Blocking
        public CompletionStage<String> stageWorker(@QueryParam("tenant") String name) {
            return stage(name);
        }

        @GET
        @Path("/multi")
        public Multi<String> multi(@QueryParam("tenant") String name) {
            Place here = enter(name);
            return guarded.multi(here).map(inside -> both(inside, here));
        }

        @GET
        @Path("/multi-worker")
        @Blocking
        public Multi<String> multiWorker(@QueryParam("tenant") String name) {
            return multi(name);
        }

        @GET
        @Path("/synchronous")
        public String synchronous(@QueryParam("tenant") String name) {
            Place here = enter(name);
            return both(guarded.synchronous(here), here);
        }

        @GET
        @Path("/code")
        public Uni<String> code(@QueryParam("tenant") String name) {
            Place here = enter(name);
            return bulkheads.semaphore("waiting-context")
                    .callAsync(() -> Uni.createFrom().item(here.compare(Place.here(), tenant.name(), user(identity))))
                    .map(inside -> both(inside, here));
        }

        @GET
        @Path("/code-worker")
        @Blocking
        public Uni<String> codeWorker(@QueryParam("tenant") String name) {
            return code(name);
        }

        @GET
        @Path("/acquire")
        public Uni<String> acquire(@QueryParam("tenant") String name) {
            Place here = enter(name);
            return bulkheads.semaphore("waiting-context").acquireAsync(LONG)
                    .chain(permit -> {
                        String inside = here.compare(Place.here(), tenant.name(), user(identity));
                        return permit.releaseAsync().replaceWith(inside);
                    })
                    .map(inside -> both(inside, here));
        }

        @GET
        @Path("/acquire-worker")
        @Blocking
        public Uni<String> acquireWorker(@QueryParam("tenant") String name) {
            return acquire(name);
        }

        private Place enter(String name) {
            tenant.name(name);
            return Place.here();
        }

        private String both(String inside, Place here) {
            String after = here.compare(Place.here(), tenant.name(), user(identity));
            return inside.equals(after) ? inside : "inside: " + inside + "; after: " + after;
        }
    }

    static String user(SecurityIdentity identity) {
        return identity.getPrincipal().getName();
    }

    @RequestScoped
    public static class Tenant {

        private String name;

        String name() {
            return name;
        }

        void name(String name) {
            this.name = name;
        }
    }

    /** Trusts the header. */
    @ApplicationScoped
    public static class ByHeader implements HttpAuthenticationMechanism {

        @Override
        public Uni<SecurityIdentity> authenticate(RoutingContext context, IdentityProviderManager manager) {
            String user = context.request().getHeader("user");
            return user == null ? Uni.createFrom().nullItem()
                    : Uni.createFrom().item(QuarkusSecurityIdentity.builder().setPrincipal(new QuarkusPrincipal(user)).build());
        }

        @Override
        public Uni<ChallengeData> getChallenge(RoutingContext context) {
            return Uni.createFrom().nullItem();
        }

        @Override
        public Set<Class<? extends AuthenticationRequest>> getCredentialTypes() {
            return Set.of();
        }
    }

    @ApplicationScoped
    public static class Guarded {

        @Inject
        Tenant tenant;

        @Inject
        SecurityIdentity identity;

        @RedisBulkhead(name = "waiting-context", permits = 1, maxWait = "20s")
        Uni<String> uni(Place caller) {
            return Uni.createFrom().item(compare(caller));
        }

        @RedisBulkhead(name = "waiting-context", permits = 1, maxWait = "20s")
        CompletionStage<String> stage(Place caller) {
            return CompletableFuture.completedFuture(compare(caller));
        }

        @RedisBulkhead(name = "waiting-context", permits = 1, maxWait = "20s")
        Multi<String> multi(Place caller) {
            return Multi.createFrom().item(compare(caller));
        }

        @RedisBulkhead(name = "waiting-context", permits = 1, maxWait = "20s")
        String synchronous(Place caller) {
            return compare(caller);
        }

        private String compare(Place caller) {
            return Arc.container().requestContext().isActive() ? caller.compare(Place.here(), tenant.name(), user(identity))
                    : "no request context";
        }
    }
}
