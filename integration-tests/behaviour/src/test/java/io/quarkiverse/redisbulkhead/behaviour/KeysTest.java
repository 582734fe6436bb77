package io.quarkiverse.redisbulkhead.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import java.net.URI;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;
import java.util.stream.Stream;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.redisbulkhead.BulkheadCall;
import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.BulkheadKey;
import io.quarkiverse.redisbulkhead.BulkheadKeyResolver;
import io.quarkiverse.redisbulkhead.CurrentPermit;
import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkiverse.redisbulkhead.ResolvedKey;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.testredis.Caller;
import io.quarkiverse.redisbulkhead.testredis.Gate;
import io.quarkus.arc.Arc;
import io.quarkus.arc.ManagedContext;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Uni;

/** One limit for each key. */
@QuarkusTest
class KeysTest extends BehaviourTestBase {

    @Inject
    Shop shop;
    @Inject
    WholeShop wholeShop;
    @Inject
    Visitor visitor;
    @Inject
    ArgumentsKey arguments;

    enum Plan {
        FREE,
        PAYING;

        @Override
        public String toString() {
            return "not for machines";
        }
    }

    private String order(String kind, String tenant) {
        return kind.equals("uni") ? get(shop.orderUni(tenant)) : shop.order(tenant);
    }

    @AfterEach
    void assertNothingIsHeld() {
        awaitNothingLeft("all");
        assertThat(tenant("acme").status().inUse()).isZero();
        assertThat(tenant("acme").status().waiting()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = { "synchronous", "uni" })
    void eachValueOfTheParameterHasItsOwnLimit(String kind) {
        try (Permit taken = tenant("acme").acquire(Duration.ZERO)) {
            assertThat(taken.key()).contains("acme");
            assertThatThrownBy(() -> order(kind, "acme"))
                    .isInstanceOfSatisfying(BulkheadFullException.class, full -> {
                        assertThat(full.name()).isEqualTo("tenants");
                        assertThat(full.key()).contains("acme");
                        assertThat(full.limit()).isEqualTo(1);
                        assertThat(full).hasMessageContaining("for this key").hasMessageNotContaining("acme");
                    });
            assertThat(order(kind, "other")).isEqualTo("other");
            assertThat(order(kind, "ACME")).isEqualTo("ACME");
        }
        assertThat(order(kind, "acme")).as("the key of the permit").isEqualTo("acme");
        assertThatThrownBy(() -> order(kind, null)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("Shop#order").hasMessageContaining("the parameter tenant is null")
                .hasMessageContaining("'tenants'").hasMessageContaining("@BulkheadKey");
    }

    @Test
    void convertsValuesToTheirIdentifyingText() {
        UUID id = UUID.fromString("00000000-0000-0001-0000-000000000002");
        assertThat(shop.byPlan(Plan.PAYING)).isEqualTo("PAYING");
        assertThat(shop.byNumber(-7)).isEqualTo("-7");
        assertThat(shop.byId(id)).isEqualTo("00000000-0000-0001-0000-000000000002");
        assertThat(shop.byUri(URI.create("http://example.org/a%20b"))).isEqualTo("http://example.org/a%20b");
        assertThat(shop.byText(new StringBuilder("text"))).isEqualTo("text");
    }

    @ParameterizedTest
    @ValueSource(strings = { "synchronous", "uni" })
    void resolverProvidesKeyAndLimit(String kind) {
        Supplier<String> visit = () -> asVisitor(() -> kind.equals("uni") ? get(shop.visitUni(1)) : shop.visit(1), "gold");
        RedisSemaphore gold = bulkheads.semaphore("visitors").forKey("gold", 3);
        assertThat(gold.spec().permits()).isEqualTo(3);
        try (Permit one = gold.acquire(Duration.ZERO); Permit two = gold.acquire(Duration.ZERO)) {
            assertThat(visit.get()).as("the third").isEqualTo("gold");
            try (Permit three = gold.acquire(Duration.ZERO)) {
                assertThatThrownBy(visit::get).isInstanceOfSatisfying(BulkheadFullException.class, full -> {
                    assertThat(full.limit()).isEqualTo(3);
                    assertThat(full.key()).contains("gold");
                });
            }
        }
        assertThat(gold.status().inUse()).isZero();
        assertThat(bulkheads.semaphore("visitors").forKey("gold").status()).satisfies(status -> {
            assertThat(status.limit()).as("keys of the requests").isEqualTo(3);
            assertThat(status.key()).contains("gold");
            assertThat(status.limitsDiffer()).isFalse();
        });
        RedisSemaphore plain = bulkheads.semaphore("visitors").forKey("plain");
        assertThat(plain.status().limit()).as("without its own limit").isEqualTo(1);
        try (Permit taken = plain.acquire(Duration.ZERO)) {
            assertThatThrownBy(() -> asVisitor(() -> shop.visit(1), "plain")).isInstanceOf(BulkheadFullException.class);
        }
    }

    @Test
    void resolverSeesTheCall() {
        wholeShop.cart("tea", 2, null);
        assertThat(arguments.calls).contains(
                new BulkheadCall("carts", "WholeShop#cart", Arrays.asList("tea", 2, null)));
        wholeShop.empty();
        assertThat(arguments.calls).contains(new BulkheadCall("carts", "WholeShop#empty", List.of()));
    }

    @Test
    void resolverReturningNullIsAnError() {
        assertThatThrownBy(() -> asVisitor(() -> shop.visit(1), "anonymous")).isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Shop#visit: " + VisitorKey.class.getName() + " returned null instead of the key of "
                        + "bulkhead 'visitors'. Return ResolvedKey.of(key), or throw an exception to reject the call");
    }

    @Test
    void callerGetsTheExceptionOfTheResolver() {
        assertThatThrownBy(() -> asVisitor(() -> shop.visit(1), "forbidden")).isInstanceOf(SecurityException.class)
                .hasMessage("not you");
        assertThatThrownBy(() -> asVisitor(() -> get(shop.visitUni(1)), "forbidden")).isInstanceOf(SecurityException.class)
                .hasMessage("not you");
    }

    /** Trap 18: two in all and one for each tenant; the first permit is released when the second bulkhead rejects. */
    @Test
    void acquiresSeveralBulkheadsInDeclarationOrder() {
        try (Permit tenant = bulkheads.semaphore("each").forKey("acme").acquire(Duration.ZERO)) {
            assertThatThrownBy(() -> shop.several("acme")).isInstanceOfSatisfying(BulkheadFullException.class, full -> {
                assertThat(full.name()).isEqualTo("each");
                assertThat(full.key()).contains("acme");
            });
            assertThat(inUse("all")).isZero();
            try (Permit one = bulkheads.semaphore("all").acquire(Duration.ZERO)) {
                assertThat(shop.several("other")).isEqualTo("all=none, each=other");
                try (Permit two = bulkheads.semaphore("all").acquire(Duration.ZERO)) {
                    assertThatThrownBy(() -> shop.several("acme")).as("requests follow the declaration order")
                            .isInstanceOfSatisfying(BulkheadFullException.class,
                                    full -> assertThat(full.name()).isEqualTo("all"));
                }
            }
        }
        for (String key : List.of("other", "acme")) {
            assertThat(bulkheads.semaphore("each").forKey(key).status().inUse()).isZero();
        }
    }

    @Test
    void operatorsInspectAndChangeOneKey() {
        RedisSemaphore acme = tenant("acme");
        acme.resize(2);
        try (Permit one = acme.acquire(Duration.ZERO)) {
            assertThat(shop.order("acme")).isEqualTo("acme");
            assertThat(acme.status().limit()).isEqualTo(2);
            assertThat(tenant("other").status().limit()).isEqualTo(1);
        } finally {
            assertThat(acme.resetSize()).isTrue();
        }
    }

    @Test
    void lossEventNamesTheKey() throws Exception {
        Gate.shut();
        Caller<String> running = Caller.of(() -> shop.hold("acme"));
        awaitInside(1);

        assertThat(tenant("acme").revoke(tenant("acme").holders().get(0).permitId())).isTrue();
        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(losses.synchronous).extracting(PermitLost::bulkhead, PermitLost::key)
                        .contains(tuple("tenants", Optional.of("acme"))));
        assertThat(losses.synchronous).as("the text in a log").asString().contains("tenants").doesNotContain("acme");
        Gate.open();
        assertThat(running.result()).isEqualTo("passed");
    }

    @Test
    void keyedBulkheadRequiresAKey() {
        RedisSemaphore tenants = bulkheads.semaphore("tenants");
        assertThat(tenants.needsKey()).isTrue();
        assertThat(tenants.forKey("a").needsKey()).isFalse();
        assertThat(tenants.key()).isEmpty();
        assertThat(tenants.spec().permits()).isEqualTo(1);
        Stream.<Supplier<Object>> of(tenants::tryAcquire, tenants::tryAcquireAsync, () -> tenants.acquire(LONG),
                tenants::status, tenants::statusAsync, tenants::holders, tenants::waiters, tenants::resetSize,
                () -> tenants.revoke("id"),
                () -> tenants.callAsync(() -> Uni.createFrom().nullItem()))
                .forEach(call -> assertThatThrownBy(call::get).isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("'tenants'").hasMessageContaining("semaphore(\"tenants\").forKey(key)"));
        assertThatThrownBy(() -> tenants.forKey(null)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> tenants.forKey(null, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> tenants.forKey("a", 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> tenants.forKey("a").forKey("b")).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("already belongs to one key of bulkhead 'tenants'");
    }

    @Test
    void unkeyedBulkheadAcceptsNoKey() {
        assertThat(bulkheads.semaphore("all").needsKey()).isFalse();
        assertThatThrownBy(() -> bulkheads.semaphore("all").forKey("acme")).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'all'").hasMessageContaining("@BulkheadKey");
        SemaphoreSpec contradiction = SemaphoreSpec.named("all").permits(2).build();
        assertThatThrownBy(() -> bulkheads.semaphore(contradiction).forKey("acme")).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void bulkheadsDefinedInCodeMayHaveKeys() {
        RedisSemaphore hosts = bulkheads.semaphore(SemaphoreSpec.named("hosts").permits(1).build());
        try (Permit whole = hosts.acquire(Duration.ZERO);
                Permit a = hosts.forKey("a").acquire(Duration.ZERO);
                Permit b = hosts.forKey("b").acquire(Duration.ZERO)) {
            assertThat(List.of(whole.key(), a.key(), b.key())).containsExactly(Optional.empty(), Optional.of("a"),
                    Optional.of("b"));
            assertThat(hosts.forKey("a").tryAcquire()).isEmpty();
            assertThat(hosts.forKey("a", 2).tryAcquire().map(Permit::release)).contains(true);
        }
    }

    /** Operators disable a bulkhead to rule it out as a cause of trouble. */
    @Test
    void disabledBulkheadResolvesNoKey() {
        assertThat(shop.off(null)).isEqualTo("ran");
        assertThat(shop.offBeside("acme")).isEqualTo("ran");
        assertThatCode(() -> bulkheads.semaphore("keys-off").forKey("a").acquire(LONG).release()).doesNotThrowAnyException();
    }

    private RedisSemaphore tenant(String key) {
        return bulkheads.semaphore("tenants").forKey(key);
    }

    private <T> T asVisitor(Supplier<T> call, String name) {
        ManagedContext request = Arc.container().requestContext();
        request.activate();
        try {
            visitor.enter(name);
            return call.get();
        } finally {
            request.terminate();
        }
    }

    @ApplicationScoped
    static class Shop {

        @Inject
        CurrentPermit current;

        private String ownKey() {
            return current.get().key().orElseThrow();
        }

        @RedisBulkhead(name = "tenants", permits = 1)
        String order(@BulkheadKey String tenant) {
            return ownKey();
        }

        @RedisBulkhead(name = "tenants")
        Uni<String> orderUni(@BulkheadKey String tenant) {
            return Uni.createFrom().item(ownKey());
        }

        @RedisBulkhead(name = "tenants")
        String hold(@BulkheadKey String tenant) {
            return Gate.pass();
        }

        @RedisBulkhead(name = "values", permits = 1)
        String byPlan(@BulkheadKey Plan plan) {
            return ownKey();
        }

        @RedisBulkhead(name = "values")
        String byNumber(@BulkheadKey long number) {
            return ownKey();
        }

        @RedisBulkhead(name = "values")
        String byId(@BulkheadKey UUID id) {
            return ownKey();
        }

        @RedisBulkhead(name = "values")
        String byUri(@BulkheadKey URI uri) {
            return ownKey();
        }

        @RedisBulkhead(name = "values")
        String byText(@BulkheadKey CharSequence text) {
            return ownKey();
        }

        @RedisBulkhead(name = "visitors", permits = 1, keyResolver = VisitorKey.class)
        String visit(int number) {
            return ownKey();
        }

        @RedisBulkhead(name = "visitors", keyResolver = VisitorKey.class)
        Uni<String> visitUni(int number) {
            return Uni.createFrom().item(ownKey());
        }

        @RedisBulkhead(name = "all", permits = 2)
        @RedisBulkhead(name = "each", permits = 1)
        String several(@BulkheadKey("each") String tenant) {
            return "all=" + keyOf("all") + ", each=" + keyOf("each");
        }

        private String keyOf(String bulkhead) {
            Optional<Permit> permit = current.find(bulkhead);
            return permit.orElseThrow().key().orElse("none");
        }

        @RedisBulkhead(name = "keys-off", permits = 1)
        String off(@BulkheadKey String tenant) {
            return "ran";
        }

        @RedisBulkhead(name = "all")
        @RedisBulkhead(name = "off-beside", permits = 1, keyResolver = VisitorKey.class)
        String offBeside(String tenant) {
            return "ran";
        }
    }

    @Singleton
    @RedisBulkhead(name = "carts", permits = 5, keyResolver = ArgumentsKey.class)
    static class WholeShop {

        void cart(String article, int number, Object nothing) {
        }

        void empty() {
        }
    }

    @RequestScoped
    static class Visitor {

        private String name;

        void enter(String newName) {
            name = newName;
        }

        String name() {
            return name;
        }
    }

    @ApplicationScoped
    static class VisitorKey implements BulkheadKeyResolver {

        @Inject
        Visitor visitor;

        @Override
        public ResolvedKey resolve(BulkheadCall call) {
            return switch (visitor.name()) {
                case "anonymous" -> null;
                case "forbidden" -> throw new SecurityException("not you");
                case "gold" -> ResolvedKey.of("gold").withPermits(3);
                default -> ResolvedKey.of(visitor.name());
            };
        }
    }

    @Singleton
    static class ArgumentsKey implements BulkheadKeyResolver {

        final ConcurrentLinkedQueue<BulkheadCall> calls = new ConcurrentLinkedQueue<>();

        @Override
        public ResolvedKey resolve(BulkheadCall call) {
            calls.add(call);
            return ResolvedKey.of(String.valueOf(call.arguments()));
        }
    }
}
