package io.quarkiverse.redisbulkhead.runtime.store.machine;

/** A deliberate defect of {@code share.lua} that generated histories must find. */
enum ShareMutation {

    RETURNED_COUNTS_TWICE("held = held - before + sizeOf(mine)", "held = held - 2 * (before - sizeOf(mine))"),
    LIMIT_OFF_BY_ONE("floor(max(0, limit - held) / group.weight)", "floor(max(0, limit + 1 - held) / group.weight)"),
    IMMEDIATE_BEYOND_THE_LIMIT("floor(max(0, limit - held) / weight)", "floor(max(0, limit + 1 - held) / weight)"),
    OFFERS_ARE_NOT_TAKEN_BACK("return min(share.ending, share.stated + OFFER)", "return share.ending"),
    OFFERS_ARE_TAKEN_BACK_TOO_EARLY("RECALL, DEAF = 3000, 3000,", "RECALL, DEAF = 100, 3000,"),
    CLAIMS_IN_THE_OLD_EPOCH("mine.epoch, mine.granted, mine.offered, mine.returned, mine.revoked = draw(),",
            "mine.epoch, mine.granted, mine.offered, mine.returned, mine.revoked = max(1, mine.epoch),"),
    GRACE_IS_IGNORED("local fit = now < grace and 0 or min(group.count", "local fit = min(group.count"),
    NO_GRACE_AFTER_A_NEW_RUN("grace = from + GRACE\n", "grace = 0\n"),
    CLAIMS_OF_THE_GRACE_NEED_ROOM("now < grace and MOST_COUNTED or limit - held", "limit - held"),
    DEAD_HEADS_ARE_NOT_SKIPPED("return share.groups[1] and now - share.stated < WAITER", "return share.groups[1]"),
    TOKENS_ARE_REUSED("ticket = first + (count or 1) - 1", "ticket = first"),
    QUEUE_IS_REVERSED("return ticket < other or ticket == other and name < otherName",
            "return ticket > other or ticket == other and name < otherName"),
    A_CLAIM_DOES_NOT_FREE_THE_RECORD("room, held = max(0, room + sizeOf(mine)), held - sizeOf(mine)",
            "room = max(0, room + sizeOf(mine))"),
    LEASES_DO_NOT_END("sizeOf(share) > 0 and share.ending <= now", "false"),
    ATTACHED_TWICE("hold.by, hold.epoch, changed['h:' .. hold.id] = mine.name,",
            "hold.by, hold.epoch, changed['h:' .. hold.id] = hold.by,"),
    SHARES_EXPIRE_TOO_EARLY("local isKeptLonger = keepUntil + SLACK > kept", "local isKeptLonger = kept == 0");

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
