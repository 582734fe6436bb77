package io.quarkiverse.redisbulkhead.runtime.store.redis;

/** The scripts as Redis gets them, for tests that run them elsewhere. */
public final class ScriptTexts {

    private ScriptTexts() {
    }

    /** The text of the script with that name: {@code bulkhead} or {@code look}. */
    public static String of(String name) {
        return LuaScript.of(name).text();
    }
}
