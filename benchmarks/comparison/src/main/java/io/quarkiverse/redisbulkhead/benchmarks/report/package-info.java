/** Turns figures into the tables and plots of the documents. */
package io.quarkiverse.redisbulkhead.benchmarks.report;
