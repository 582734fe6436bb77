package io.quarkiverse.redisbulkhead.deployment.validation;

import java.util.function.Consumer;

import io.quarkiverse.redisbulkhead.deployment.discovery.BulkheadUsage;
import io.quarkiverse.redisbulkhead.runtime.definition.Definitions;

/**
 * What the annotations define must be right as far as it is known: values, names, permits, and one definition for each name.
 * What depends on properties that are set later is checked when the application starts, by the same code.
 */
final class DefinitionsRule implements Rule {

    private final ConfiguredValues configured;

    DefinitionsRule(ConfiguredValues configured) {
        this.configured = configured;
    }

    @Override
    public void check(BulkheadUsage usage, Consumer<Mistake> mistakes) {
        Definitions definitions = configured.definitions(usage);
        definitions.check(name -> definitions.isByExpression(name) || configured.of(name, "permits").isPresent(),
                Mistake.to(mistakes));
    }
}
