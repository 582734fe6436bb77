/**
 * Support for tests of applications that guard code with bulkheads; see
 * {@link io.quarkiverse.redisbulkhead.test.TestBulkhead}.
 */
package io.quarkiverse.redisbulkhead.test;
