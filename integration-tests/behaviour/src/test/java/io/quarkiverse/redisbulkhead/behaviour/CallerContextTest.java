package io.quarkiverse.redisbulkhead.behaviour;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.NotFoundException;
import jakarta.ws.rs.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.opentelemetry.api.trace.Span;
import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkiverse.redisbulkhead.testredis.Caller;
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
 * Trap 30: after an asynchronous acquire, and after a wait, the guarded method and its continuations run on the caller's
 * Vert.x context, on the same kind of thread, with the same CDI request context, security identity and span.
 */
@QuarkusTest
class CallerContextTest extends BehaviourTestBase {

    @ParameterizedTest
    @ValueSource(strings = { "uni", "uni/worker", "stage", "stage/worker", "multi", "multi/worker", "synchronous", "code",
            "code/worker", "acquire", "acquire/worker" })
    void runsInTheContextOfTheCaller(String path) throws Exception {
        String expected = "same context, same thread kind, tenant " + path.replace("/worker", "") + ", user alice, same trace";
        assertThat(call(path)).as("without a wait").isEqualTo(expected);
        Caller<String> caller;
        try (Permit taken = take("context")) {
            caller = Caller.of(() -> call(path));
            awaitWaiters("context", 1);
        }
        assertThat(caller.result()).as("after a wait").isEqualTo(expected);
    }

    private static String call(String path) {
        return given().header("user", "alice").get("/context/" + path).then().statusCode(200).extract().asString();
    }

    @Test
    void withoutVertx() {
        given().get("/context/plain").then().statusCode(200).body(is("tenant plain, may block: true"));
    }

    /** Trap 15: a synchronous method that would block the event loop fails with a clear message. */
    @Test
    void synchronousMethodFailsOnTheEventLoop() {
        given().get("/context/wrong").then().statusCode(500).body(containsString("Guarded#synchronous"))
                .body(containsString("must not be called on an event loop"));
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

    @Path("/context")
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
        @Path("/{kind}")
        public Uni<String> onTheEventLoop(String kind) {
            return call(kind);
        }

        @GET
        @Path("/{kind}/worker")
        @Blocking
        public Uni<String> onAWorker(String kind) {
            return call(kind);
        }

        private Uni<String> call(String kind) {
            tenant.name(kind);
            Place here = Place.here();
            RedisSemaphore semaphore = bulkheads.semaphore("context");
            Uni<String> compared = switch (kind) {
                case "uni" -> guarded.uni(here);
                case "stage" -> Uni.createFrom().completionStage(guarded.stage(here));
                case "multi" -> guarded.multi(here).collect().last();
                case "code" -> semaphore.callAsync(() -> Uni.createFrom().item(compare(here)));
                case "acquire" -> semaphore.acquireAsync(LONG).chain(permit -> {
                    String inside = compare(here);
                    return permit.releaseAsync().replaceWith(inside);
                });
                default -> throw new NotFoundException(kind);
            };
            return compared.map(inside -> both(inside, here));
        }

        @GET
        @Path("/synchronous")
        public String synchronous() {
            tenant.name("synchronous");
            Place here = Place.here();
            return both(guarded.synchronous(here), here);
        }

        @GET
        @Path("/plain")
        public String plain() throws Exception {
            return Caller.of(() -> {
                Arc.container().requestContext().activate();
                try {
                    tenant.name("plain");
                    return get(guarded.plain());
                } finally {
                    Arc.container().requestContext().terminate();
                }
            }).result();
        }

        @GET
        @Path("/wrong")
        @NonBlocking
        public String wrong() {
            return guarded.synchronous(Place.here());
        }

        private String compare(Place here) {
            return here.compare(Place.here(), tenant.name(), user(identity));
        }

        private String both(String inside, Place here) {
            String after = compare(here);
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

        @RedisBulkhead(name = "context", permits = 1, maxWait = "20s")
        Uni<String> uni(Place caller) {
            return Uni.createFrom().item(compare(caller));
        }

        @RedisBulkhead(name = "context", permits = 1, maxWait = "20s")
        CompletionStage<String> stage(Place caller) {
            return CompletableFuture.completedFuture(compare(caller));
        }

        @RedisBulkhead(name = "context", permits = 1, maxWait = "20s")
        Multi<String> multi(Place caller) {
            return Multi.createFrom().item(compare(caller));
        }

        @RedisBulkhead(name = "context", permits = 1, maxWait = "20s")
        String synchronous(Place caller) {
            return compare(caller);
        }

        @RedisBulkhead(name = "context", permits = 1, maxWait = "20s")
        Uni<String> plain() {
            return Uni.createFrom().item("tenant " + tenant.name() + ", may block: " + !Context.isOnEventLoopThread());
        }

        private String compare(Place caller) {
            return Arc.container().requestContext().isActive() ? caller.compare(Place.here(), tenant.name(), user(identity))
                    : "no request context";
        }
    }
}
