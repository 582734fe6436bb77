package io.quarkiverse.redisbulkhead.runtime.store.exploration;

import java.util.List;

/**
 * A shortest path that breaks a rule.
 *
 * @param rule the rule
 * @param steps the steps, in order
 * @param end the state at the end
 */
public record Counterexample(String rule, List<String> steps, String end) {

    /** A readable report. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(rule).append('\n');
        for (int i = 0; i < steps.size(); i++) {
            text.append("  ").append(i + 1).append(". ").append(steps.get(i)).append('\n');
        }
        return text.append("  => ").append(end).toString();
    }
}
