/**
 * Where shares live. {@link io.quarkiverse.redisbulkhead.runtime.store.ShareStore} is the port; {@code redis} and {@code lock}
 * implement it with scripts and without, {@code machine} is the step of both in Java, and {@code local} keeps shares in this
 * process, for tests. A store knows neither CDI nor configuration nor what a permit is used for.
 */
package io.quarkiverse.redisbulkhead.runtime.store;
