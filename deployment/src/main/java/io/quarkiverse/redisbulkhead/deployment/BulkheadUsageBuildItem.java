package io.quarkiverse.redisbulkhead.deployment;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import io.quarkiverse.redisbulkhead.deployment.discovery.BulkheadUsage;
import io.quarkiverse.redisbulkhead.runtime.definition.ValidationErrors;
import io.quarkiverse.redisbulkhead.runtime.definition.ValidationErrors.ValidationError;
import io.quarkus.builder.item.SimpleBuildItem;

/** The use of the annotation in the application, and what is wrong with it and with the configuration. */
final class BulkheadUsageBuildItem extends SimpleBuildItem {

    final BulkheadUsage usage;
    /** Each once, by location. */
    final Set<ValidationError> errors;
    final List<String> warnings;

    BulkheadUsageBuildItem(BulkheadUsage usage, ValidationErrors errors) {
        this.usage = usage;
        this.errors = new TreeSet<>(errors.all());
        this.warnings = errors.warnings();
    }
}
