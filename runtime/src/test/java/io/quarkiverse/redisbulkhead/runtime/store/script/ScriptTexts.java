package io.quarkiverse.redisbulkhead.runtime.store.script;

/** The scripts as Redis gets them, for tests that run them elsewhere. */
public final class ScriptTexts {

    private ScriptTexts() {
    }

    /** The text of the script with that name, for example {@code batch}. */
    public static String of(String name) {
        return name.equals("batch") ? LuaScript.batch().text() : LuaScript.of(name).text();
    }
}
