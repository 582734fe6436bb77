/** How long it takes until a permit that one process gives back is in the hands of a fair waiter in another one. */
package io.quarkiverse.redisbulkhead.benchmarks.handover;
