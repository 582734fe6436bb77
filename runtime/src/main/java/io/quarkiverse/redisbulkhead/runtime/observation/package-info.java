/** What metrics and traces have in common. It needs none of their libraries. */
package io.quarkiverse.redisbulkhead.runtime.observation;
