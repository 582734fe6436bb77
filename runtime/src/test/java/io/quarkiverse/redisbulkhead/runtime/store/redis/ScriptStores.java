package io.quarkiverse.redisbulkhead.runtime.store.redis;

import io.quarkiverse.redisbulkhead.runtime.store.StoreFixture;

/** Creates script stores with a clock that the test moves. */
final class ScriptStores {

    private ScriptStores() {
    }

    static StoreFixture fixture(TestRedis redis) {
        return new RedisStoreFixture(redis, TestStore.SCRIPT, (server, connections,
                notifications) -> new RedisPermitStore(connections, notifications, ScriptStores::withOwnClock));
    }

    private static LuaScript withOwnClock(LuaScript script) {
        return LuaScript.withText(
                replace(replace(script.text(), "redis.call('TIME')",
                        "{ redis.call('HGET', '" + RedisStoreFixture.CLOCK_HASH + "', 'now'), 0 }"),
                        "tonumber(time[1]) * 1000000", "tonumber(time[1]) * 1000")
                        .replace("local SLACK = 1000\n", "local SLACK = " + RedisStoreFixture.SLACK.toMillis() + "\n"));
    }

    private static String replace(String text, String old, String now) {
        if (!text.contains(old)) {
            throw new AssertionError("No " + old + " in " + text);
        }
        return text.replace(old, now);
    }
}
