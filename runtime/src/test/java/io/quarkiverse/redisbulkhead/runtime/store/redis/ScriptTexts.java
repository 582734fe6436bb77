package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.util.List;

/** The scripts as Redis gets them, for tests that run them elsewhere. */
public final class ScriptTexts {

    private ScriptTexts() {
    }

    /** The text of the script with that name: {@code bulkhead} or {@code look}. */
    public static String of(String name) {
        return LuaScript.of(name).text();
    }

    /** What a reply of {@code bulkhead} has for the process. */
    public static List<String> notices(Object reply) {
        return ScriptCall.Reply.of((String) reply).notices();
    }

    /** The answers of a reply of {@code bulkhead}. */
    public static List<String> answers(Object reply) {
        return ScriptCall.Reply.of((String) reply).answers();
    }
}
