/**
 * Checks how an application uses the annotation. Each {@link io.quarkiverse.redisbulkhead.deployment.validation.Rule} checks
 * one aspect, and all errors are reported together.
 */
package io.quarkiverse.redisbulkhead.deployment.validation;
