package io.quarkiverse.redisbulkhead.runtime.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.runtime.store.ObservedShareStore.Operation;

class ObservedShareStoreTest {

    final List<String> called = new ArrayList<>();
    final ShareStore behind = (ShareStore) Proxy.newProxyInstance(ShareStore.class.getClassLoader(),
            new Class<?>[] { ShareStore.class }, (proxy, method, arguments) -> {
                if (method.getReturnType() == boolean.class) {
                    return false;
                }
                called.add(method.getName() + Arrays.toString(arguments));
                return method.getReturnType() == CompletionStage.class ? CompletableFuture.completedStage(null) : null;
            });
    final Set<Operation> reported = EnumSet.noneOf(Operation.class);

    @Test
    void eachStoreMethodIsPassedOnAndReportedThoughTheListenerFails() {
        BulkheadId reports = BulkheadId.of("reports");
        ShareStore store = new ObservedShareStore(behind, (operation, time, failure) -> {
            reported.add(operation);
            throw new IllegalStateException("observed");
        });
        assertThat(store.isShared()).isFalse();
        store.whenReady(null);
        store.listen(null);
        for (CompletionStage<?> answer : List.of(store.sync(null), store.look(reports, 7), store.inUse(8),
                store.revoke(reports, "instance", "permit", 1), store.resize(reports, 9), store.resize(reports, 0))) {
            assertThat(answer.toCompletableFuture()).isCompletedWithValue(null);
        }

        assertThat(called).containsExactly("whenReady[null]", "listen[null]", "sync[null]", "look[reports, 7]", "inUse[8]",
                "revoke[reports, instance, permit, 1]", "resize[reports, 9]", "resize[reports, 0]");
        assertThat(reported).isEqualTo(EnumSet.allOf(Operation.class));
    }
}
