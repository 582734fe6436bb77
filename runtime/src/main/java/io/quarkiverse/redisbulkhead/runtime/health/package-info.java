/** Tells the readiness of the application where it has SmallRye Health; loaded only there. */
package io.quarkiverse.redisbulkhead.runtime.health;
