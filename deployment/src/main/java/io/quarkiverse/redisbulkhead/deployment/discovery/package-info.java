/** Finds the annotations and the methods that they guard. Does not validate. */
package io.quarkiverse.redisbulkhead.deployment.discovery;
