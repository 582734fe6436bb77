/** The HTTP endpoint for operators; loaded only where it is switched on. */
package io.quarkiverse.redisbulkhead.runtime.management;
