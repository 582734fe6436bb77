/**
 * Checks how an application uses the annotation. Each {@link io.quarkiverse.redisbulkhead.deployment.validation.Rule}
 * looks for one kind of mistake, and all mistakes are reported together.
 */
package io.quarkiverse.redisbulkhead.deployment.validation;
