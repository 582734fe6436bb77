package io.quarkiverse.redisbulkhead.runtime;

import java.util.List;

import io.quarkiverse.redisbulkhead.runtime.semaphore.Semaphore;

/**
 * A declared bulkhead that is not switched off.
 *
 * @param semaphore the bulkhead
 * @param keyed whether it has one limit for each key
 * @param methods the labels of the methods that it guards
 */
public record LimitingBulkhead(Semaphore semaphore, boolean keyed, List<String> methods) {
}
