package io.quarkiverse.redisbulkhead.deployment.validation;

import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.deployment.discovery.BulkheadUsage;

/** Each value that the configuration holds when the application is built must be valid. */
final class ConfiguredValuesRule implements Rule {

    // What the converter takes for a truth value; it reads everything else as false.
    private static final Set<String> TRUTH_VALUES = Set.of("true", "false", "yes", "no", "y", "n", "on", "off", "1", "0");

    private final ConfiguredValues configured;

    ConfiguredValuesRule(ConfiguredValues configured) {
        this.configured = configured;
    }

    @Override
    public void check(BulkheadUsage usage, Consumer<Mistake> mistakes) {
        for (String bulkhead : usage.definitions().byName().keySet()) {
            check(bulkhead, "permits", ConfiguredValuesRule::checkPermits, mistakes);
            check(bulkhead, "expire", LeaseText::parse, mistakes);
            check(bulkhead, "fair", ConfiguredValuesRule::checkFair, mistakes);
        }
    }

    private void check(String bulkhead, String member, Consumer<String> reader, Consumer<Mistake> mistakes) {
        configured.of(bulkhead, member).ifPresent(value -> value.text().ifPresent(text -> {
            try {
                reader.accept(text);
            } catch (IllegalArgumentException e) {
                mistakes.accept(new Mistake(value.property(), e.getMessage()));
            }
        }));
    }

    private static void checkPermits(String text) {
        int permits;
        try {
            permits = Integer.parseInt(text.trim());
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "permits must be a whole number from 1 to " + Integer.MAX_VALUE + ", but is '" + text + "'", e);
        }
        SemaphoreSpec.named("any").permits(permits);
    }

    private static void checkFair(String text) {
        if (!TRUTH_VALUES.contains(text.trim().toLowerCase(Locale.ROOT))) {
            throw new IllegalArgumentException("fair must be true or false, but is '" + text + "'");
        }
    }
}
