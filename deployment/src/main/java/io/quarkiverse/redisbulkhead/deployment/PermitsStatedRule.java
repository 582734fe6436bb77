package io.quarkiverse.redisbulkhead.deployment;

import java.util.List;
import java.util.function.Consumer;

import io.quarkiverse.redisbulkhead.deployment.Definitions.Definition;

/** The permits of each bulkhead must be stated somewhere: in an annotation or in the configuration. */
final class PermitsStatedRule implements Rule {

    private final ConfiguredValues configured;

    PermitsStatedRule(ConfiguredValues configured) {
        this.configured = configured;
    }

    @Override
    public void check(BulkheadUsage usage, Consumer<Mistake> mistakes) {
        new Definitions(usage.elements()).byName().forEach((name, definitions) -> {
            if (!areStated(definitions) && configured.of(name, "permits").isEmpty()) {
                mistakes.accept(new Mistake(String.join(", ", Definitions.places(definitions)), Texts.annotation(name)
                        + ": permits are not stated. State them in the annotation, or set "
                        + ConfiguredValues.property(name, "permits")));
            }
        });
    }

    private static boolean areStated(List<Definition> definitions) {
        return definitions.stream().anyMatch(definition -> definition.bulkhead().statesPermits());
    }
}
