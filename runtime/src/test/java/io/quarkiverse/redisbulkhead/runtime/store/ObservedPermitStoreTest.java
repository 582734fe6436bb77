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

class ObservedPermitStoreTest {

    static final BulkheadId REPORTS = BulkheadId.of("reports");

    record Told(StoreOperation operation, Duration time, Throwable failure) {
    }

    final List<Told> told = new ArrayList<>();
    final List<String> asked = new ArrayList<>();
    CompletionStage<Object> answer = new CompletableFuture<>();
    final PermitStore behind = (PermitStore) Proxy.newProxyInstance(PermitStore.class.getClassLoader(),
            new Class<?>[] { PermitStore.class }, (proxy, method, arguments) -> {
                asked.add(method.getName());
                return method.getReturnType() == CompletionStage.class ? answer : null;
            });
    final PermitStore store = new ObservedPermitStore(behind,
            (operation, time, failure) -> told.add(new Told(operation, time, failure)));

    @ParameterizedTest
    @EnumSource
    void tellsOfEachOperation(StoreOperation operation) {
        assertThat(ask(operation)).isSameAs(answer);
        assertThat(asked).singleElement().asString()
                .isEqualToIgnoringCase(operation.name().replace("_", ""));
        assertThat(told).isEmpty();
        answer.toCompletableFuture().complete(null);

        assertThat(told).singleElement().satisfies(done -> {
            assertThat(done.operation()).isEqualTo(operation);
            assertThat(done.time()).isPositive();
            assertThat(done.failure()).isNull();
        });
    }

    @Test
    void thereIsAnOperationForEachQuestion() {
        assertThat(Stream.of(PermitStore.class.getMethods()).filter(method -> method.getReturnType() == CompletionStage.class)
                .map(Method::getName).distinct())
                .hasSameSizeAs(StoreOperation.values());
    }

    @Test
    void tellsOfFailures() {
        StoreException away = new StoreException("away", true, null);
        answer = CompletableFuture.failedStage(new CompletionException(away));
        ask(StoreOperation.POLL);
        answer = CompletableFuture.failedStage(away);
        ask(StoreOperation.POLL);

        assertThat(told).extracting(Told::failure).containsExactly(away, away);
    }

    @Test
    void aListenerThatFailsDoesNotAffectTheAnswer() {
        answer = CompletableFuture.completedStage(true);
        PermitStore failing = new ObservedPermitStore(behind, (operation, time, failure) -> {
            throw new IllegalStateException("told");
        });

        assertThat(failing.release(REPORTS, "id").toCompletableFuture()).isCompletedWithValue(true);
    }

    @Test
    void noticesGoThrough() {
        store.listen(notice -> {
        }, mismatch -> {
        });

        assertThat(asked).containsExactly("listen");
    }

    private CompletionStage<?> ask(StoreOperation operation) {
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
        };
    }
}
