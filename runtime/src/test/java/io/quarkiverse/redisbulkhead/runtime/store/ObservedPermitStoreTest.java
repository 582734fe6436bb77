package io.quarkiverse.redisbulkhead.runtime.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

class ObservedPermitStoreTest {

    static final BulkheadId REPORTS = BulkheadId.of("reports");

    record Observed(StoreOperation operation, Duration time, Throwable failure) {
    }

    final List<Observed> observed = new ArrayList<>();
    final List<String> calledMethods = new ArrayList<>();
    CompletionStage<Object> reply = new CompletableFuture<>();
    final PermitStore behind = (PermitStore) Proxy.newProxyInstance(PermitStore.class.getClassLoader(),
            new Class<?>[] { PermitStore.class }, (proxy, method, arguments) -> {
                calledMethods.add(method.getName());
                return method.getReturnType() == CompletionStage.class ? reply : null;
            });
    final PermitStore store = new ObservedPermitStore(behind,
            (operation, time, failure) -> observed.add(new Observed(operation, time, failure)));

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = { "SYNC", "LOOK" })
    void reportsEachOperation(StoreOperation operation) {
        assertThat(call(operation)).isSameAs(reply);
        assertThat(calledMethods).singleElement().asString()
                .isEqualToIgnoringCase(operation.name().replace("_", ""));
        assertThat(observed).isEmpty();
        reply.toCompletableFuture().complete(null);

        assertThat(observed).singleElement().satisfies(done -> {
            assertThat(done.operation()).isEqualTo(operation);
            assertThat(done.time()).isPositive();
            assertThat(done.failure()).isNull();
        });
    }

    @Test
    void eachStoreMethodHasAnOperation() {
        assertThat(Stream.of(PermitStore.class.getMethods()).filter(method -> method.getReturnType() == CompletionStage.class)
                .map(Method::getName).distinct())
                .hasSize(StoreOperation.values().length - 2);
    }

    @Test
    void reportsFailures() {
        StoreException away = new StoreException("away", true, null);
        reply = CompletableFuture.failedStage(new CompletionException(away));
        call(StoreOperation.POLL);
        reply = CompletableFuture.failedStage(away);
        call(StoreOperation.POLL);

        assertThat(observed).extracting(Observed::failure).containsExactly(away, away);
    }

    @Test
    void failingListenerDoesNotAffectTheReply() {
        reply = CompletableFuture.completedStage(true);
        PermitStore failing = new ObservedPermitStore(behind, (operation, time, failure) -> {
            throw new IllegalStateException("observed");
        });

        assertThat(failing.release(REPORTS, "id").toCompletableFuture()).isCompletedWithValue(true);
    }

    @Test
    void listenersArePassedOn() {
        store.listen(notice -> {
        }, mismatch -> {
        });

        assertThat(calledMethods).containsExactly("listen");
    }

    private CompletionStage<?> call(StoreOperation operation) {
        return switch (operation) {
            case ACQUIRE -> store.acquire(null);
            case RELEASE -> store.release(REPORTS, "id");
            case CANCEL -> store.cancel(REPORTS, List.of("id"), Duration.ZERO);
            case RENEW -> store.renew(REPORTS, Map.of());
            case POLL -> store.poll(REPORTS, 1, List.of("p"), Duration.ofSeconds(1));
            case DETACH -> store.detach(REPORTS, "id", Duration.ofSeconds(1), "digest", Duration.ZERO);
            case ATTACH -> store.attach(null);
            case REVOKE -> store.revoke(REPORTS, "id");
            case RESIZE -> store.resize(REPORTS, 1);
            case RESET_SIZE -> store.resetSize(REPORTS);
            case OCCUPANCY -> store.occupancy(REPORTS, 0);
            case OWN_PERMITS -> store.ownPermits(REPORTS);
            case IN_USE -> store.inUse(0);
            case SYNC, LOOK -> throw new IllegalArgumentException("An operation of ShareStore");
        };
    }
}
