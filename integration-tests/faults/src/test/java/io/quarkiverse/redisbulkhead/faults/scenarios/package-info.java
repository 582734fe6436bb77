/** The scenarios: faults and their expected results. */
package io.quarkiverse.redisbulkhead.faults.scenarios;
