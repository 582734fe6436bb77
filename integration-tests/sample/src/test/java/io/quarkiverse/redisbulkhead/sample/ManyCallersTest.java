package io.quarkiverse.redisbulkhead.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.sample.support.OutsideWorld;
import io.quarkus.test.common.TestResourceScope;
import io.quarkus.test.common.WithTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Uni;

/**
 * Many concurrent callers in one application, with the default Redis client. Every execution lasts until all other callers
 * have been rejected, so exactly as many as the limit succeed. No other outcome is allowed, above all no
 * {@code ConnectionPoolTooBusyException}.
 */
@QuarkusTest
@WithTestResource(value = OutsideWorld.class, scope = TestResourceScope.MATCHING_RESOURCES)
class ManyCallersTest {

    private static final int LIMIT = 5;
    private static final String DONE = "done";

    @Inject
    Work work;

    @ApplicationScoped
    static class Work {

        @RedisBulkhead(name = "many-callers", permits = LIMIT)
        String block(CompletableFuture<String> end) {
            return end.join();
        }

        @RedisBulkhead(name = "many-callers", permits = LIMIT)
        Uni<String> react(CompletableFuture<String> end) {
            return Uni.createFrom().completionStage(end);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = { 100, 1_000 })
    @DisplayName("Blocking callers, each on a thread of its own, all at once")
    void blocking(int callers) {
        CyclicBarrier start = new CyclicBarrier(callers);
        ExecutorService threads = Executors.newFixedThreadPool(callers);
        try {
            CompletableFuture<String> end = new CompletableFuture<>();
            assertThatOnlyTheLimitSucceeds(callers, end, () -> CompletableFuture.supplyAsync(() -> {
                meet(start);
                return work.block(end);
            }, threads));
        } finally {
            threads.shutdownNow();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = { 100, 1_000 })
    @DisplayName("Reactive callers, all subscribed before the first is answered")
    void reactive(int callers) {
        CompletableFuture<String> end = new CompletableFuture<>();
        assertThatOnlyTheLimitSucceeds(callers, end, () -> work.react(end).subscribeAsCompletionStage());
    }

    private static void assertThatOnlyTheLimitSucceeds(int callers, CompletableFuture<String> end,
            Supplier<CompletableFuture<String>> call) {
        end.orTimeout(60, TimeUnit.SECONDS);
        AtomicInteger failures = new AtomicInteger();
        List<CompletableFuture<Object>> outcomes = Stream.generate(() -> call.get().<Object> handle((result, failure) -> {
            if (failure == null) {
                return result;
            }
            if (failures.incrementAndGet() == callers - LIMIT) {
                end.complete(DONE);
            }
            return failure instanceof CompletionException ? failure.getCause() : failure;
        })).limit(callers).toList();

        List<Object> results = outcomes.stream().map(CompletableFuture::join).toList();
        assertThat(results).filteredOn(DONE::equals).hasSize(LIMIT);
        assertThat(results).filteredOn(result -> !DONE.equals(result)).hasSize(callers - LIMIT)
                .hasOnlyElementsOfType(BulkheadFullException.class);
    }

    private static void meet(CyclicBarrier barrier) {
        try {
            barrier.await(60, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
