/** What people see of the bulkheads: how each is defined, and who holds and waits at this moment. */
package io.quarkiverse.redisbulkhead.runtime.overview;
