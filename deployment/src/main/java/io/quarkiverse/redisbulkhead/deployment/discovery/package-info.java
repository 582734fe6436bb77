/** Finds out where the annotation is written and which methods it guards. Knows nothing of what is right or wrong. */
package io.quarkiverse.redisbulkhead.deployment.discovery;
