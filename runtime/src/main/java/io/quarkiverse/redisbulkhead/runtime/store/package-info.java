/**
 * Where shares live. {@link io.quarkiverse.redisbulkhead.runtime.store.ShareStore} is the port; {@code redis} implements it
 * with scripts and without, {@code machine} is its step in Java, and {@code LocalShareStore} keeps shares in this process, for
 * tests. A store knows neither CDI nor configuration nor what a permit is used for.
 */
package io.quarkiverse.redisbulkhead.runtime.store;
