/**
 * Where permits live. {@link io.quarkiverse.redisbulkhead.runtime.store.PermitStore} is the port; each sub-package is
 * one implementation. A store knows neither CDI nor configuration nor what a permit is used for.
 */
package io.quarkiverse.redisbulkhead.runtime.store;
