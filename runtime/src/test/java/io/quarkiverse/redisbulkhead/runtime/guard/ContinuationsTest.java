package io.quarkiverse.redisbulkhead.runtime.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkus.runtime.BlockingOperationControl;
import io.quarkus.runtime.IOThreadDetector;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Context;
import io.vertx.core.Vertx;

/** Trap 30: an execution continues on the context of its caller. */
class ContinuationsTest {

    static Vertx vertx;

    final Continuations continuations = new Continuations(0);

    @BeforeAll
    static void start() {
        vertx = Vertx.vertx();
    }

    @AfterAll
    static void stop() throws Exception {
        vertx.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
    }

    @BeforeEach
    void eventLoopsMayNotBlock() {
        BlockingOperationControl.setIoThreadDetector(new IOThreadDetector[] { Context::isOnEventLoopThread });
    }

    @AfterEach
    void close() {
        continuations.close();
        BlockingOperationControl.setIoThreadDetector(new IOThreadDetector[0]);
    }

    /** Already on the context, the task runs without being scheduled. */
    @Test
    void runsAtOnceOnTheSameContext() throws Exception {
        CompletableFuture<Boolean> atOnce = new CompletableFuture<>();
        vertx.runOnContext(now -> {
            boolean[] done = new boolean[1];
            continuations.here().execute(() -> done[0] = true);
            atOnce.complete(done[0]);
        });
        assertThat(atOnce.get(10, TimeUnit.SECONDS)).isTrue();
    }

    /** Callers still waiting after shutdown must not hang. */
    @Test
    void closedContinuationsRunTasksOnTheCallingThread() throws Exception {
        CompletableFuture<Thread> thread = new CompletableFuture<>();
        Executor here = continuations.here();
        here.execute(() -> thread.complete(Thread.currentThread()));
        thread.get(10, TimeUnit.SECONDS);

        continuations.close();

        await().atMost(Duration.ofSeconds(4)).until(() -> !thread.join().isAlive());
        CompletableFuture<String> late = new CompletableFuture<>();
        here.execute(() -> late.complete("done"));
        assertThat(late).isCompletedWithValue("done");
        assertThat(Uni.createFrom().item("x").emitOn(here).await().atMost(Duration.ofSeconds(10))).isEqualTo("x");
    }
}
