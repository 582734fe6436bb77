package io.quarkiverse.redisbulkhead.runtime.definition;

import io.quarkiverse.redisbulkhead.RedisBulkhead;

/**
 * One {@link RedisBulkhead} as it is written. Its texts may hold expressions, and configuration may still change the values.
 *
 * @param location where it is written, as {@code Class#method} or {@code Class}
 * @param name the bulkhead
 * @param permits the limit, or {@link RedisBulkhead#PERMITS_UNSET} when that is left to other places or to configuration
 * @param weight how much of the limit a call takes
 * @param fair whether permits go to callers in the order of their requests
 * @param expire the lease
 * @param maxWait how long a call waits for a permit
 */
public record BulkheadDeclaration(String location, String name, int permits, int weight, boolean fair, String expire,
        String maxWait) {

    /** Whether what it says depends on the configuration, so that the build may not know it. */
    boolean hasExpression() {
        return MemberText.isExpression(name) || MemberText.isExpression(expire) || MemberText.isExpression(maxWait);
    }

    boolean statesPermits() {
        return permits != RedisBulkhead.PERMITS_UNSET;
    }
}
