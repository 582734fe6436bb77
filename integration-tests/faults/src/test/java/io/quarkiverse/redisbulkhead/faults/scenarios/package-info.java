/** What is broken, and what is to come of it. */
package io.quarkiverse.redisbulkhead.faults.scenarios;
