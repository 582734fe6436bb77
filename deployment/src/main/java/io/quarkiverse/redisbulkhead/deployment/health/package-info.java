/** Adds the readiness check. */
package io.quarkiverse.redisbulkhead.deployment.health;
