/** What messages are made of: numbers, addresses of pages, names of properties, and suggestions. */
package io.quarkiverse.redisbulkhead.runtime.message;
