package io.quarkiverse.redisbulkhead.runtime.store.redis;

/** The scripts as sent to Redis, for tests that run them elsewhere. */
public final class ScriptTexts {

    private ScriptTexts() {
    }

    /** The script with this name: {@code share}. */
    public static String of(String name) {
        return ScriptSteps.script();
    }
}
