/** What messages are made of: numbers, names of properties, and suggestions. */
package io.quarkiverse.redisbulkhead.runtime.message;
