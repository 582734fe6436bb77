/** The properties of the extension, as the configuration maps them. */
package io.quarkiverse.redisbulkhead.runtime.config;
