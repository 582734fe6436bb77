package io.quarkiverse.redisbulkhead.runtime.definition;

import java.util.OptionalInt;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;
import io.quarkiverse.redisbulkhead.runtime.message.PropertyNames;

/** A call that weighs more than the limit would never get a permit. */
public final class WeightLimits {

    private WeightLimits() {
    }

    /**
     * Looks at a bulkhead.
     *
     * @param name the bulkhead
     * @param permits its limit; a wrong one is a finding of its own
     * @param configured the weight that is configured for all of its calls; a wrong one is a finding of its own
     * @param definitions what the annotations state
     * @param findings takes weights above the limit
     */
    public static void check(String name, int permits, OptionalInt configured, Definitions definitions, Findings findings) {
        if (permits < 1) {
            return;
        }
        if (configured.isPresent()) {
            if (configured.getAsInt() > permits && configured.getAsInt() <= SemaphoreSpec.MAX_WEIGHT) {
                findings.add(MessageCode.RBH030, PropertyNames.of(name, "weight"), tooHeavy(configured.getAsInt(), permits));
            }
            return;
        }
        for (Definition definition : definitions.byName().get(name)) {
            definition.weight().ifPresent(weight -> {
                if (weight > permits) {
                    findings.add(MessageCode.RBH030, definition.place(),
                            definition.annotation() + ": " + tooHeavy(weight, permits));
                }
            });
        }
    }

    private static String tooHeavy(int weight, int permits) {
        return "weight must not be more than the permits of the bulkhead, which are " + permits + ", but is " + weight
                + ". No call would ever get a permit. Lower the weight, or raise the permits";
    }
}
