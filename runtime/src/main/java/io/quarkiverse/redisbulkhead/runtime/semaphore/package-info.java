/**
 * What a permit's life is: taken, held, given back, and reclaimed when an answer was lost. Knows neither CDI nor
 * configuration nor Redis; time and threads are handed in. Everything is asynchronous; whoever wants to block waits
 * for the stage.
 */
package io.quarkiverse.redisbulkhead.runtime.semaphore;
