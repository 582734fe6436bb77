package io.quarkiverse.redisbulkhead.deployment.validation;

import org.eclipse.microprofile.config.Config;

import io.quarkiverse.redisbulkhead.deployment.discovery.BulkheadUsage;
import io.quarkiverse.redisbulkhead.deployment.discovery.GuardedBeanMethod;
import io.quarkiverse.redisbulkhead.deployment.discovery.Names;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadBuildTimeConfig.StoreKind;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.BulkheadDeclaration;
import io.quarkiverse.redisbulkhead.runtime.definition.EffectiveDefinitions;
import io.quarkiverse.redisbulkhead.runtime.definition.EffectiveDefinitions.EffectiveBulkhead;
import io.quarkiverse.redisbulkhead.runtime.definition.ValidationErrors;
import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;
import io.quarkiverse.redisbulkhead.runtime.message.Texts;

/**
 * Definitions in annotations and configuration must be valid as far as they are known, and a bulkhead has keys wherever it is
 * named, or nowhere. What depends on run-time properties is checked at start-up, by the same code.
 *
 * @param config what is configured while the application is built
 * @param store where permits live
 */
record DefinitionRule(Config config, StoreKind store) implements Rule {

    @Override
    public void check(BulkheadUsage usage, ValidationErrors errors) {
        EffectiveDefinitions definitions = new EffectiveDefinitions(usage.declarations(), config, store.needsRedis(), true,
                errors);
        for (GuardedBeanMethod guard : usage.guards()) {
            for (BulkheadDeclaration bulkhead : guard.bulkheads()) {
                String known = definitions.annotations().at(bulkhead).name();
                if (known != null && isScheduledCarelessly(guard, usage)) {
                    checkOverlappingRuns(guard, known, definitions, errors);
                }
            }
        }
    }

    /** Whether a schedule does not say whether runs may overlap. */
    private static boolean isScheduledCarelessly(GuardedBeanMethod guard, BulkheadUsage usage) {
        return usage.annotations(guard.method(), Names.SCHEDULED, Names.SCHEDULES)
                .anyMatch(schedule -> schedule.value("concurrentExecution") == null);
    }

    private static void checkOverlappingRuns(GuardedBeanMethod guard, String name, EffectiveDefinitions definitions,
            ValidationErrors errors) {
        EffectiveBulkhead bulkhead = definitions.bulkheads().get(name);
        if (bulkhead != null && bulkhead.spec().permits() == 1 && !definitions.values(name).containsKey("on-full")) {
            errors.warn(MessageCode.RBH037, guard.place(), "a run that begins while the only permit of "
                    + Texts.annotation(name) + " is taken is skipped, even if the previous run of this instance has it. Set"
                    + " concurrentExecution = SKIP in @Scheduled if runs must not overlap within an instance, or decide for all"
                    + " calls with " + Texts.property(name, "on-full") + ", which is reject or skip");
        }
    }
}
