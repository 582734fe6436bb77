package io.quarkiverse.redisbulkhead.deployment.validation;

import java.util.List;
import java.util.function.Consumer;

import io.quarkiverse.redisbulkhead.deployment.discovery.BulkheadUsage;
import io.quarkiverse.redisbulkhead.deployment.discovery.Definitions;
import io.quarkiverse.redisbulkhead.deployment.discovery.Definitions.Definition;
import io.quarkiverse.redisbulkhead.runtime.PropertyNames;

/** The permits of each bulkhead must be stated somewhere: in an annotation or in the configuration. */
final class PermitsStatedRule implements Rule {

    private final ConfiguredValues configured;

    PermitsStatedRule(ConfiguredValues configured) {
        this.configured = configured;
    }

    @Override
    public void check(BulkheadUsage usage, Consumer<Mistake> mistakes) {
        usage.definitions().byName().forEach((name, definitions) -> {
            if (!areStated(definitions) && configured.of(name, "permits").isEmpty()) {
                mistakes.accept(new Mistake(String.join(", ", Definitions.places(definitions)), Texts.annotation(name)
                        + ": permits are not stated. State them in the annotation, or set "
                        + PropertyNames.of(name, "permits")));
            }
        });
    }

    private static boolean areStated(List<Definition> definitions) {
        return definitions.stream().anyMatch(definition -> definition.bulkhead().statesPermits());
    }
}
