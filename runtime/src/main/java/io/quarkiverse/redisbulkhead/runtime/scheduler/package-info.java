/** How scheduled methods meet full bulkheads. Loaded only where Quarkus Scheduler is present. */
package io.quarkiverse.redisbulkhead.runtime.scheduler;
