/** Finds out where the annotation is written and which methods it guards. Does not validate. */
package io.quarkiverse.redisbulkhead.deployment.discovery;
