package io.quarkiverse.redisbulkhead.runtime.store.exploration;

import java.util.Map;
import java.util.function.UnaryOperator;

/** A deliberate defect in the script, and the guarantees whose violation the explorer must find. */
enum Mutation {

    EXPIRED_LEASES_COUNT(two(Role.TRIES).with(Rare.RENEWAL, 1),
            "= ending > now and ending or nil",
            "= ending >= now and ending or nil", "14"),
    HAND_OVER_BEYOND_THE_LIMIT(two(Role.WAITS_IN_ORDER),
            "elseif held + weight > most then\n            head",
            "elseif false then\n            head", "1"),
    QUEUE_IS_REVERSED(Setting.of("", 1, Role.WAITS_IN_ORDER, Role.WAITS_IN_ORDER, Role.WAITS_IN_ORDER),
            "line.ids[#line.ids + 1], line.scores[#line.scores + 1], ids[#ids + 1] = id, score, id",
            "table.insert(line.ids, 1, id) table.insert(line.scores, 1, score) ids[#ids + 1] = id", "5"),
    HAND_OVER_WITH_THE_QUEUE_TICKET(two(Role.WAITS_IN_ORDER),
            "local token = format('%d', last)",
            "local token = format('%d', ticket)", "7"),
    DEAD_WAITERS_ARE_NOT_SKIPPED(two(Role.WAITS_IN_ORDER),
            "elseif not waiter or (alive[waiter.process] or learnAlive({ waiter.process })) <= now then",
            "elseif not waiter then", "5"),
    TICKETS_IGNORE_THE_CLOCK(two(Role.TRIES).with(Rare.DATA_LOST, 1),
            Map.of("max(last + 1, micros)", "max(last + 1, 1)",
                    "max(last, micros - 1)", "max(last, 1)"),
            "7"),
    LEASES_ARE_NOT_CUT(two(Role.TRIES).with(Rare.CLOCK_BACK, 1),
            "    if setBack then\n",
            "    if false then\n", "2"),
    RENEWALS_RECORD_NO_TIME(two(Role.TRIES).with(Rare.RENEWAL, 1).with(Rare.CLOCK_BACK, 1),
            ", id\n            last, longest = max(last, micros - 1), max(longest, millis)",
            ", id\n            longest = max(longest, millis)", "2"),
    HOLDERS_WITHOUT_EXPIRY(two(Role.TRIES),
            "if lengthens or came > 0 and size and size <= went then",
            "if false then", "9"),
    STATE_WITHOUT_EXPIRY(two(Role.TRIES),
            "if lengthens or isResized then",
            "if isResized then", "9"),
    QUEUE_WITHOUT_EXPIRY(two(Role.WAITS_IN_ORDER),
            Map.of("if line.size == 0 and not lengthens then", "if false then",
                    "if cancelled and cancelled[1] or lengthens and (queue or others > 0) then",
                    "if cancelled and cancelled[1] then"),
            "9"),
    KEYS_EXPIRE_TOO_EARLY(two(Role.TRIES).with(Rare.RENEWAL, 1),
            "from + longest + SLACK > kept",
            "kept == 0", "16"),
    NEWCOMER_IS_SERVED_BEFORE_WAITERS(Setting.of("", 1, Role.WAITS_IN_ORDER, Role.WAITS_IN_ORDER, Role.TRIES),
            "            if queue and not settled then\n                serve()\n            end\n",
            "", "5"),
    LIMIT_OFF_BY_ONE(two(Role.TRIES),
            "held + weight <= (resizedTo or limit) and",
            "held + weight <= (resizedTo or limit) + 1 and", "1"),
    NEWCOMERS_OVERTAKE(
            Setting.of("", 1, Role.WAITS_IN_ORDER, Role.WAITS_IN_ORDER, Role.TRIES).with(Rare.DATA_LOST, 1),
            "and (not head or old > 0 and head > old) then",
            "then", "5"),
    CANCELLED_REQUEST_IS_GRANTED(two(Role.TRIES).with(Rare.TIMED_OUT, 1),
            "if cancelled and cancelled[id] then",
            "if false then", "9"),
    REPEATED_REQUEST_IS_NOT_EXTENDED(two(Role.WAITS_IN_ORDER),
            "max(ends[id], ending), moved + 2",
            "ends[id], moved + 2", "61"),
    RENEWAL_REVIVES(two(Role.TRIES).with(Rare.RENEWAL, 1),
            "if ends[id] then\n            ends[id], moved = max(ends[id], from + millis), moved + 2",
            "if true then\n            ends[id], moved = from + millis, moved + 2", "14"),
    RELEASE_FREES_ALL(Setting.of("", 2, Role.TRIES, Role.TRIES),
            "call('ZREM', HOLDERS, unpack(gone, k, min(k + WORDS - 1, went)))",
            "call('ZREM', HOLDERS, unpack(call('ZRANGE', HOLDERS, 0, -1)))", "4"),
    RELEASE_IS_NOT_HANDED_OVER(two(Role.WAITS_IN_ORDER),
            "owing or queue and (what == 'release' or",
            "owing or queue and (", "5"),
    MIN_HOLD_IS_IGNORED(two(Role.TRIES).minHold(2 * Setting.TICK),
            "if ending > now and not ends[released] then",
            "if false then", "2"),
    MIN_HOLD_COUNTS_FROM_THE_RELEASE(two(Role.TRIES).minHold(2 * Setting.TICK).with(Rare.RENEWAL, 1),
            "min(ending, from + millis, since and since + millis or huge)",
            "min(ending, from + millis)", "2"),
    RELEASED_PERMIT_KEEPS_ITS_ID(two(Role.TRIES).minHold(2 * Setting.TICK),
            "local released, ending, record = id .. '.released',",
            "local released, ending, record = id,", "9"),
    RELEASED_PERMIT_IS_NOT_HANDED_OVER(two(Role.WAITS_IN_ORDER).minHold(2 * Setting.TICK).with(Rare.RENEWAL, 1),
            "what == 'release' or what == 'release after' or",
            "what == 'release' or", "5"),
    ATTACHED_TWICE(two(Role.TRIES).calls(2).with(Rare.DETACHED, 1),
            "                drop(old)\n                move(queue, id)\n",
            "                move(queue, id)\n", "1"),
    ATTACHED_WITH_THE_OLD_TOKEN(two(Role.TRIES).with(Rare.DETACHED, 1),
            Map.of("describe(id, format('%d', last) .. '\\n'", "describe(id, drawn .. '\\n'",
                    "                drawn = last\n", ""),
            "7"),
    ATTACH_CANNOT_BE_RETRIED(two(Role.TRIES).with(Rare.DETACHED, 1).with(Rare.SENT_AGAIN, 1),
            "local attached = ends[id] and recorded(id)",
            "local attached = nil", "9"),
    DETACHED_WITHOUT_A_LEASE(two(Role.TRIES).with(Rare.DETACHED, 1),
            "            ends[id] = max(ends[id], from + millis)\n            last, longest = max(last, micros - 1), max(longest, millis)\n            describe(id, start",
            "            ends[id] = from + millis * 2\n            describe(id, start", "2"),
    NO_GRACE_PERIOD(two(Role.WAITS_IN_ORDER).with(Rare.DATA_LOST, 1),
            "elseif ends[id] or not (old > 0 and startGrace()) and",
            "elseif ends[id] or", "5"),
    GRACE_PERIOD_IS_IGNORED(two(Role.WAITS_IN_ORDER).with(Rare.DATA_LOST, 1),
            "if not graceEnd and walk(",
            "if walk(", "5"),
    GRACE_PERIOD_NEVER_ENDS(two(Role.WAITS_IN_ORDER).with(Rare.DATA_LOST, 1).with(Rare.POLL, 1),
            "elseif score > now and score <= from",
            "elseif score <= from", "5"),
    REQUEUED_WITH_A_NEW_TICKET(two(Role.WAITS_IN_ORDER).with(Rare.DATA_LOST, 1),
            "ticket = old > 0 and old or last",
            "ticket = max(last, micros)", "5"),
    POLLS_REPORT_NO_FREE_PERMITS(two(Role.WAITS),
            "head and 0 or max(0, (resizedTo or tonumber(ARGV[i + 2])) - held)",
            "0", "5"),
    CLEANUP_REMOVES_WAITERS(two(Role.WAITS_IN_ORDER).with(Rare.RENEWAL, 1),
            "found[1][k] or found[2][k] or found[3][k]",
            "found[1][k]", "45"),
    HEAVY_PERMIT_COUNTS_ONCE(lightAndHeavy(Role.TRIES),
            "held + weight <= (resizedTo or limit) and",
            "held + 1 <= (resizedTo or limit) and", "1"),
    HEAVY_WAITER_IS_SERVED_BY_ONE_PERMIT(lightAndHeavy(Role.WAITS_IN_ORDER),
            "elseif held + weight > most then\n            head",
            "elseif held + 1 > most then\n            head", "1"),
    WEIGHT_IS_ACQUIRED_IN_PART(lightAndHeavy(Role.TRIES),
            "for n = 2, weigh(added[k]) do",
            "for n = 3, weigh(added[k]) do", "1"),
    WEIGHT_IS_RENEWED_IN_PART(lightAndHeavy(Role.TRIES).with(Rare.RENEWAL, 1),
            "if heavy then\n    for k = 2, came, 2 do",
            "if heavy then\n    for k = 2, renews and 0 or came, 2 do", "1"),
    WEIGHT_IS_RELEASED_IN_PART(lightAndHeavy(Role.TRIES),
            "and 1 or weigh(gone[k]) do",
            "and 1 or 1 do", "1"),
    LIGHT_WAITER_OVERTAKES_A_HEAVY_ONE(
            Setting.of("", 2, Role.WAITS_IN_ORDER, Role.WAITS_IN_ORDER, Role.WAITS_IN_ORDER).weights(1, 2, 1),
            "head = ticket\n            return true",
            "head = ticket\n            return false", "5"),
    HEAVY_PERMIT_IS_CUT_IN_PART(lightAndHeavy(Role.TRIES).with(Rare.CLOCK_BACK, 1),
            "            weigh(id)\n",
            "", "12");

    final Setting setting;
    /** The numbers of the guarantees, one of which is violated first. */
    final String guarantees;

    private final Map<String, String> changes;

    Mutation(Setting setting, String text, String broken, String guarantees) {
        this(setting, Map.of(text, broken), guarantees);
    }

    Mutation(Setting setting, Map<String, String> changes, String guarantees) {
        this.setting = setting;
        this.changes = changes;
        this.guarantees = guarantees;
    }

    private static Setting two(Role role) {
        return Setting.of("", 1, role, role);
    }

    private static Setting lightAndHeavy(Role role) {
        return Setting.of("", 2, role, role).weights(1, 2);
    }

    /** Applies the defect to the script. */
    UnaryOperator<String> change() {
        return whole -> {
            String changed = whole;
            for (Map.Entry<String, String> change : changes.entrySet()) {
                if (!changed.contains(change.getKey())) {
                    throw new AssertionError("The script has no " + change.getKey());
                }
                changed = changed.replace(change.getKey(), change.getValue());
            }
            return changed;
        };
    }
}
