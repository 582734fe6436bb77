package io.quarkiverse.redisbulkhead.runtime.dev;

import java.util.Optional;

/**
 * Which limit.
 *
 * @param bulkhead the name
 * @param key empty when the bulkhead is one limit for all
 */
record LimitId(String bulkhead, Optional<String> key) {
}
