/** Adds the management endpoint, and describes it in OpenAPI. */
package io.quarkiverse.redisbulkhead.deployment.management;
