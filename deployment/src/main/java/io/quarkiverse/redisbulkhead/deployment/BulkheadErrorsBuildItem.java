package io.quarkiverse.redisbulkhead.deployment;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import io.quarkiverse.redisbulkhead.runtime.definition.ValidationErrors;
import io.quarkiverse.redisbulkhead.runtime.definition.ValidationErrors.ValidationError;
import io.quarkus.builder.item.SimpleBuildItem;

/** The errors in the use of the annotation and in its configuration; each error once, by location. */
final class BulkheadErrorsBuildItem extends SimpleBuildItem {

    private final Set<ValidationError> errors;
    private final List<String> warnings;

    BulkheadErrorsBuildItem(ValidationErrors errors) {
        this.errors = new TreeSet<>(errors.all());
        this.warnings = errors.warnings();
    }

    Set<ValidationError> errors() {
        return errors;
    }

    List<String> warnings() {
        return warnings;
    }
}
