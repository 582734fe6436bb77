package io.quarkiverse.redisbulkhead.runtime.store;

/** A deliberate defect of {@code share.lua} that generated histories must find. */
enum ShareMutation {

    RETURNED_COUNTS_TWICE("held = held - before + sizeOf(mine)", "held = held - 2 * (before - sizeOf(mine))");

    private final String text;
    private final String broken;

    ShareMutation(String text, String broken) {
        this.text = text;
        this.broken = broken;
    }

    String applied(String script) {
        if (!script.contains(text)) {
            throw new AssertionError("The script has no " + text);
        }
        return script.replace(text, broken);
    }
}
