package io.quarkiverse.redisbulkhead.deployment.validation;

import java.util.function.Consumer;

import io.quarkiverse.redisbulkhead.deployment.discovery.BulkheadUsage;

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
        configured.definitions(usage).check(name -> configured.of(name, "permits").isPresent(),
                (code, place, text) -> mistakes.accept(new Mistake(code, place, text)));
    }
}
