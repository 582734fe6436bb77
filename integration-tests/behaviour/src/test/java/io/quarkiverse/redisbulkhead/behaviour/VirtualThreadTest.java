package io.quarkiverse.redisbulkhead.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Uni;

/** Guarded methods on virtual threads: the thread waits for the permit and then continues. */
@QuarkusTest
@EnabledForJreRange(min = JRE.JAVA_21)
class VirtualThreadTest {

    @Inject
    Guarded guarded;

    @Test
    void synchronous() throws Exception {
        assertThat(onVirtualThread(() -> guarded.synchronous())).isEqualTo("VirtualThread, 1 permit in use");
    }

    @Test
    void asynchronous() throws Exception {
        assertThat(onVirtualThread(() -> guarded.uni().await().indefinitely())).isEqualTo("VirtualThread, 1 permit in use");
    }

    // By reflection, because the sources are compiled for Java 17.
    private static String onVirtualThread(Callable<String> task) throws Exception {
        ExecutorService virtual = (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        try {
            return virtual.submit(task).get(20, TimeUnit.SECONDS);
        } finally {
            virtual.shutdown();
        }
    }

    @ApplicationScoped
    public static class Guarded {

        @Inject
        RedisBulkheads bulkheads;

        @RedisBulkhead(name = "virtual", permits = 1)
        String synchronous() {
            return describe();
        }

        @RedisBulkhead(name = "virtual", permits = 1)
        Uni<String> uni() {
            return Uni.createFrom().item(() -> describe());
        }

        private String describe() {
            return Thread.currentThread().getClass().getSimpleName() + ", "
                    + bulkheads.semaphore("virtual").status().inUse() + " permit in use";
        }
    }
}
