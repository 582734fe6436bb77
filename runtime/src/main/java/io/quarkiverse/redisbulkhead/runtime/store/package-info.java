/**
 * Where permits live. {@link io.quarkiverse.redisbulkhead.runtime.store.PermitStore} is the port; {@code script},
 * {@code lock} and {@code local} are its implementations, {@code redis} and {@code steps} are what some of them share. A store
 * knows neither CDI nor configuration nor what a permit is used for.
 */
package io.quarkiverse.redisbulkhead.runtime.store;
