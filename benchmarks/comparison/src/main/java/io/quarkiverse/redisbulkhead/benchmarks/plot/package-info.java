/** Plots as SVG. They know nothing of what they show. */
package io.quarkiverse.redisbulkhead.benchmarks.plot;
