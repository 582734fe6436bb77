package io.quarkiverse.redisbulkhead.runtime;

import java.time.Duration;
import java.util.List;

import io.quarkiverse.redisbulkhead.RedisBulkhead;

/**
 * What the annotations of the application say about one bulkhead, found at build time. Configuration may still change
 * the values.
 *
 * @param name the bulkhead
 * @param permits the limit, or {@link RedisBulkhead#PERMITS_UNSET} when configuration must tell
 * @param fair whether permits go to callers in the order of their requests
 * @param expire the lease
 * @param maxWait how long a call waits for a permit
 * @param places where it is declared, each as {@code Class#method} or {@code Class}
 */
public record BulkheadDeclaration(String name, int permits, boolean fair, Duration expire, Duration maxWait,
        List<String> places) {
}
