package io.quarkiverse.redisbulkhead.runtime.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

class ObservedShareStoreTest {

    private static final BulkheadId REPORTS = BulkheadId.of("reports");

    final List<String> calledMethods = new ArrayList<>();
    CompletionStage<?> reply = new CompletableFuture<>();
    final ShareStore behind = (ShareStore) Proxy.newProxyInstance(ShareStore.class.getClassLoader(),
            new Class<?>[] { ShareStore.class }, (proxy, method, arguments) -> {
                calledMethods.add(method.getName());
                return method.getReturnType() == CompletionStage.class ? reply
                        : method.getReturnType() == boolean.class ? true : null;
            });
    final ShareStore store = new ObservedShareStore(behind,
            (operation, time, failure) -> {
            });

    @Test
    void eachStoreMethodIsPassedOn() {
        Stream.of(ObservedShareStore.Operation.SYNC, ObservedShareStore.Operation.LOOK, ObservedShareStore.Operation.REVOKE,
                ObservedShareStore.Operation.RESIZE, ObservedShareStore.Operation.IN_USE)
                .forEach(this::call);
        store.listen(message -> {
        });
        store.whenReady(() -> {
        });
        store.isShared();

        assertThat(calledMethods).containsExactlyInAnyOrderElementsOf(
                Stream.of(ShareStore.class.getMethods()).map(Method::getName).distinct().toList());
    }

    @Test
    void failingListenerDoesNotAffectTheReply() {
        reply = CompletableFuture.completedStage(true);
        ShareStore failing = new ObservedShareStore(behind, (operation, time, failure) -> {
            throw new IllegalStateException("observed");
        });

        assertThat(failing.resize(REPORTS, 1).toCompletableFuture()).isCompletedWithValue(true);
    }

    private CompletionStage<?> call(ObservedShareStore.Operation operation) {
        return switch (operation) {
            case SYNC -> store.sync(null);
            case LOOK -> store.look(REPORTS, 0);
            case REVOKE -> store.revoke(REPORTS, "instance", "", 1);
            case RESIZE -> store.resize(REPORTS, 1);
            case RESET_SIZE -> store.resize(REPORTS, 0);
            case IN_USE -> store.inUse(0, Set.of());
        };
    }
}
