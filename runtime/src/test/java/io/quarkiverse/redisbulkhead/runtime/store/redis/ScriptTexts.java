package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.util.List;

/** The scripts as sent to Redis, for tests that run them elsewhere. */
public final class ScriptTexts {

    private ScriptTexts() {
    }

    /** The script with this name: {@code bulkhead} or {@code look}. */
    public static String of(String name) {
        return LuaScript.of(name).text();
    }

    /** The messages for the process in a reply of {@code bulkhead}. */
    public static List<String> notices(Object reply) {
        return ScriptCall.Reply.of((String) reply).notices();
    }

    /** The results in a reply of {@code bulkhead}. */
    public static List<String> answers(Object reply) {
        return ScriptCall.Reply.of((String) reply).answers();
    }
}
