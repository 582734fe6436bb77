/**
 * Where permits live. {@link io.quarkiverse.redisbulkhead.runtime.store.PermitStore} is the port; {@code script},
 * {@code lock} and {@code local} are its implementations, {@code redis} is what two of them share. The state machine of
 * {@code local} also serves {@code lock}. A store knows neither CDI nor configuration nor what a permit is used for.
 */
package io.quarkiverse.redisbulkhead.runtime.store;
