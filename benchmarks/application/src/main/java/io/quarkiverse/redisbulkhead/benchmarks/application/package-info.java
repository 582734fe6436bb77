/** An application that is measured with the extension and without it. */
package io.quarkiverse.redisbulkhead.benchmarks.application;
