package io.quarkiverse.redisbulkhead.runtime.store.exploration;

import java.util.Map;
import java.util.function.BinaryOperator;

/** A way to break the scripts on purpose. What the explorer must find is said with it. */
enum Mutation {

    ENDED_LEASES_COUNT(two(Role.TRIES).with(Rare.RENEWAL, 1), "bulkhead", "tonumber(score) > now", "tonumber(score) >= now",
            "14"),
    HAND_OVER_BEYOND_THE_LIMIT(two(Role.WAITS_IN_ORDER), "bulkhead", "if inUse >= (override or details.limit) then",
            "if false then", "1"),
    LAST_COMES_FIRST(Setting.of("", 1, Role.WAITS_IN_ORDER, Role.WAITS_IN_ORDER, Role.WAITS_IN_ORDER), "bulkhead",
            "redis.call('ZRANGE', QUEUE, 0, 0)[1]", "redis.call('ZRANGE', QUEUE, -1, -1)[1]", "5"),
    HAND_OVER_WITH_THE_TICKET_OF_THE_QUEUE(two(Role.WAITS_IN_ORDER), "bulkhead",
            "local ticket = nextTicket(details.lease + SLACK)\n            local ends",
            "local ticket = tonumber(redis.call('ZSCORE', QUEUE, id))\n            local ends", "7"),
    DEAD_ARE_NOT_SKIPPED(two(Role.WAITS_IN_ORDER), "bulkhead",
            Map.of("        forgetDead(WAITERS)\n        handOver()", "        handOver()",
                    "if details and isAfterNow(redis.call('ZSCORE', WAITERS, id)) then", "if details then"),
            "5"),
    TICKETS_FORGET_THE_CLOCK(two(Role.TRIES).with(Rare.DATA_LOST, 1), "bulkhead", "(tonumber(lastTicket) or 0) + 1, micros",
            "(tonumber(lastTicket) or 0) + 1, 1", "7"),
    NOTHING_IS_CUT(two(Role.TRIES).with(Rare.CLOCK_BACK, 1), "bulkhead",
            "if not settled and lastTicket and tonumber(lastTicket) > micros + SET_BACK then", "if false then", "2"),
    RENEWALS_NOTE_NO_TIME(two(Role.TRIES).with(Rare.RENEWAL, 1).with(Rare.CLOCK_BACK, 1), "batch",
            "noteTheTime(longest + SLACK)", "keep(TICKET, longest + SLACK)", "2"),
    KEYS_WITHOUT_END(two(Role.TRIES), "bulkhead", "if tooShort then", "if false then", "9"),
    DETAILS_OUTLIVE_PLACES(two(Role.WAITS_IN_ORDER).with(Rare.POLL, 1).with(Rare.RENEWAL, 1), "bulkhead",
            "or { HOLDERS }) do\n        keep(key, ttl)", "or { HOLDERS }) do", "9"),
    NOBODY_IS_SERVED_BEFORE(two(Role.WAITS_IN_ORDER), "batch", "\n    settleOnce()\n", "\n", "5"),
    A_LIMIT_TOO_MANY(two(Role.TRIES), "batch", "if held < asked.limit", "if held <= asked.limit", "1"),
    A_LIMIT_TOO_MANY_THE_LONG_WAY(two(Role.WAITS), "batch", "used() < limit", "used() <= limit", "1"),
    SHORT_WAY_OVERTAKES(two(Role.WAITS_IN_ORDER), "batch",
            "if anyCancelled and call('EXISTS', QUEUE, WAITERS, STANDBY) > 0 then", "if false then", "5"),
    SHORT_WAY_GRANTS_WHAT_IS_CANCELLED(two(Role.TRIES).with(Rare.TIMED_OUT, 1), "batch", "if isCancelled then", "if false then",
            "9"),
    SHORT_WAY_KEEPS_NO_KEYS(two(Role.TRIES), "batch", "call('PEXPIRE', key, ttl)", "call('PTTL', key)", "9"),
    CANCELLED_IS_GRANTED(two(Role.TRIES).with(Rare.TIMED_OUT, 1), "batch", "isAfterNow(redis.call('ZSCORE', CANCELLED, id))",
            "false", "9"),
    ASKED_AGAIN_IS_NOT_LENGTHENED(two(Role.WAITS_IN_ORDER), "batch",
            "put(lease + SLACK, 'ZADD', HOLDERS, 'XX', 'GT', whole(from + lease), id)", "", "61"),
    RENEWAL_REVIVES(two(Role.TRIES).with(Rare.RENEWAL, 1), "batch",
            "if isAfterNow(redis.call('ZSCORE', HOLDERS, leases[i])) then\n            redis.call('ZADD', HOLDERS, 'XX', 'GT',",
            "if true then\n            redis.call('ZADD', HOLDERS,", "14"),
    RELEASE_OF_ALL(Setting.of("", 2, Role.TRIES, Role.TRIES), "batch",
            "call('ZREM', HOLDERS, unpack(removed))", "call('ZREM', HOLDERS, unpack(call('ZRANGE', HOLDERS, 0, -1)))", "4"),
    RELEASE_IS_NOT_PASSED_ON(two(Role.WAITS_IN_ORDER), "batch", "\n    settle()\n    wake(free", "\n    wake(free",
            "5"),
    NO_GRACE_PERIOD(two(Role.WAITS_IN_ORDER).with(Rare.DATA_LOST, 1), "batch",
            "if old > 0 and not lastTicket and redis.call('ZCARD', QUEUE) == 0 then", "if false then", "5"),
    GRACE_PERIOD_IS_IGNORED(two(Role.WAITS_IN_ORDER).with(Rare.DATA_LOST, 1), "bulkhead",
            "if gracePeriodEnd() then\n        return\n    end", "", "5"),
    GRACE_PERIOD_NEVER_ENDS(two(Role.WAITS_IN_ORDER).with(Rare.DATA_LOST, 1).with(Rare.POLL, 1), "bulkhead",
            "return ends and ends > now and",
            "return ends and ends > 0 and", "5"),
    QUEUED_AGAIN_WITH_A_NEW_TICKET(two(Role.WAITS_IN_ORDER).with(Rare.DATA_LOST, 1), "batch",
            "queuedWith = old > 0 and old or nextTicket(ttl)", "queuedWith = nextTicket(ttl)", "5"),
    A_TICKET_PASSES_ALL(two(Role.WAITS_IN_ORDER).with(Rare.DATA_LOST, 1), "batch",
            "ticket > 0 and tonumber(first[2]) > ticket and not gracePeriodEnd()", "ticket > 0", "5"),
    POLLS_TELL_OF_NOTHING_FREE(two(Role.WAITS), "poll", "free = math.max(0, (override or tonumber(ARGV[1])) - used())",
            "free = 0", "5");

    final Setting setting;
    /** The numbers of the guarantees of which one is seen to be broken first. */
    final String guarantees;

    private final String script;
    private final Map<String, String> changes;

    Mutation(Setting setting, String script, String text, String broken, String guarantees) {
        this(setting, script, Map.of(text, broken), guarantees);
    }

    Mutation(Setting setting, String script, Map<String, String> changes, String guarantees) {
        this.setting = setting;
        this.script = script;
        this.changes = changes;
        this.guarantees = guarantees;
    }

    private static Setting two(Role role) {
        return Setting.of("", 1, role, role);
    }

    /** Breaks the scripts that have the text: one of them, or all where it is in the part that they share. */
    BinaryOperator<String> change() {
        return (name, whole) -> {
            if (!script.equals("bulkhead") && !script.equals(name)) {
                return whole;
            }
            String changed = whole;
            for (Map.Entry<String, String> change : changes.entrySet()) {
                if (!whole.contains(change.getKey())) {
                    throw new AssertionError("The script " + name + " has no " + change.getKey());
                }
                changed = changed.replace(change.getKey(), change.getValue());
            }
            return changed;
        };
    }
}
