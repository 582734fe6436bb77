package io.quarkiverse.redisbulkhead.runtime.store;

/** A deliberate defect of {@code share.lua} that generated histories must find. */
enum ShareMutation {

    RETURNED_COUNTS_TWICE("held = held - before + sizeOf(mine)", "held = held - 2 * (before - sizeOf(mine))"),
    LIMIT_OFF_BY_ONE("floor(max(0, limit - held) / group.weight)", "floor(max(0, limit + 1 - held) / group.weight)"),
    IMMEDIATE_BEYOND_THE_LIMIT("floor(max(0, limit - held) / weight)", "floor(max(0, limit + 1 - held) / weight)"),
    OFFERS_ARE_NOT_TAKEN_BACK("share.offered > 0 and share.stated + OFFER <= now,", "false,"),
    TAKEN_BACK_IN_THE_SAME_EPOCH("if offerEnded or leaseEnded then\n        share.epoch = draw()",
            "if offerEnded or leaseEnded then\n        share.epoch = leaseEnded and draw() or share.epoch"),
    OFFERS_ARE_TAKEN_BACK_TOO_EARLY("share.stated + OFFER <= now,", "share.stated + OFFER / 3 <= now,"),
    CLAIMS_IN_THE_OLD_EPOCH("mine.epoch, mine.granted, mine.offered, mine.returned, mine.revoked = draw(),",
            "mine.epoch, mine.granted, mine.offered, mine.returned, mine.revoked = max(1, mine.epoch),"),
    GRACE_IS_IGNORED("local fit = now < grace and 0 or min(group.count", "local fit = min(group.count"),
    NO_GRACE_AFTER_A_NEW_RUN("grace = from + GRACE\n", "grace = 0\n"),
    CLAIMS_OF_THE_GRACE_NEED_ROOM("now < grace and MOST_COUNTED or limit - held", "limit - held"),
    DEAD_HEADS_ARE_NOT_SKIPPED("return share.groups[1] and now - share.stated <= WAITER", "return share.groups[1]"),
    TOKENS_ARE_REUSED("ticket = first + (count or 1) - 1", "ticket = first"),
    QUEUE_IS_REVERSED("return ticket < other or ticket == other and name < otherName",
            "return ticket > other or ticket == other and name < otherName"),
    UNKNOWN_GRANTS_ARE_GRANTED_AGAIN("matches and mine.granted - granted - weight or 0, limit)", "0, limit)"),
    LATE_STATEMENTS_COUNT("if mine and number <= mine.number then", "if mine and number < mine.number - 1 then"),
    OFFERS_IN_REPEATED_ANSWERS("mine.granted - mine.offered, 0, sizeOf(mine) > mine.offered and mine.lease or 0",
            "mine.granted, 0, mine.lease"),
    A_CLAIM_DOES_NOT_FREE_THE_RECORD("room, held = max(0, room + sizeOf(mine)), held - sizeOf(mine)",
            "room = max(0, room + sizeOf(mine))"),
    CLOCK_MAY_GO_BACK("offset = wall >= clock and 0 or max(offset, clock - wall)", "offset = 0"),
    LEASES_DO_NOT_END("sizeOf(share) > 0 and share.ending <= now", "false"),
    HOLDS_ARE_NOT_COVERED("lease > 0 and weight <= covered then", "lease > 0 then"),
    ATTACHED_TWICE("hold.by, hold.epoch, changed['h:' .. hold.id] = mine.name,",
            "hold.by, hold.epoch, changed['h:' .. hold.id] = hold.by,"),
    NEWCOMERS_OVERTAKE("(now < grace or other or mine.groups[1]) and 0 or", "now < grace and 0 or"),
    QUEUE_WITHOUT_EXPIRY("call('PEXPIRE', QUEUE, kept - now)", "call('PTTL', QUEUE)"),
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
