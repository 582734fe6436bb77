/**
 * The store within this process: for tests, for applications of one instance without Redis, and for times when Redis
 * does not answer.
 */
package io.quarkiverse.redisbulkhead.runtime.store.local;
