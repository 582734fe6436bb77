package io.quarkiverse.redisbulkhead.runtime;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.eclipse.microprofile.config.Config;

import io.quarkus.runtime.LaunchMode;

/**
 * Keeps the JVM alive until a stopping application has released its permits. Quarkus does that for an application that a signal
 * stops. But when {@code run()} of a command-mode application returns, Quarkus removes its hook before it stops the
 * application,
 * and a signal that arrives then ends the JVM immediately.
 */
final class ReleaseBeforeExit {

    private static final Duration LONGEST_RELEASE = Duration.ofSeconds(10);

    private final CountDownLatch released = new CountDownLatch(1);
    private final Thread hook;

    /** Watches the JVM of a packaged application. */
    ReleaseBeforeExit(Config properties) {
        Duration limit = LONGEST_RELEASE.plus(duration(properties, "quarkus.shutdown.timeout"))
                .plus(duration(properties, "quarkus.shutdown.delay"));
        hook = new Thread(() -> await(limit), "redis-bulkhead-release");
        if (LaunchMode.current() == LaunchMode.NORMAL) {
            try {
                Runtime.getRuntime().addShutdownHook(hook);
            } catch (IllegalStateException e) {
                // The JVM is stopping, and Quarkus waits for the application.
            }
        }
    }

    private static Duration duration(Config properties, String property) {
        return properties.getOptionalValue(property, Duration.class).orElse(Duration.ZERO);
    }

    private void await(Duration limit) {
        try {
            released.await(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The permits are released, as far as the store gave an answer. */
    void released() {
        released.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The JVM is stopping.
        }
    }
}
