/**
 * Checks how an application uses the annotation. Each {@link io.quarkiverse.redisbulkhead.deployment.validation.Rule} finds
 * one kind of error, and all errors are reported together.
 */
package io.quarkiverse.redisbulkhead.deployment.validation;
