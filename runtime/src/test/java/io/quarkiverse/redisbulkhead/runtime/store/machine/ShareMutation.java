package io.quarkiverse.redisbulkhead.runtime.store.machine;

/** A deliberate defect of {@code share.lua} that generated histories must find. */
public enum ShareMutation {

    RETURNED_COUNTS_TWICE("all.held = all.held - before + sizeOf(mine)", "all.held = all.held - 2 * (before - sizeOf(mine))"),
    LIMIT_OFF_BY_ONE("floor(max(0, limit - all.held) / group.weight)", "floor(max(0, limit + 1 - all.held) / group.weight)"),
    OFFERS_ARE_NOT_TAKEN_BACK("return min(record.ending, record.stated + OFFER)", "return record.ending"),
    OFFERS_ARE_TAKEN_BACK_TOO_EARLY("OFFER, WAITER, RECALL = 3000,", "OFFER, WAITER, RECALL = 100,"),
    GRACE_IS_IGNORED("local calls = now < all.grace and 0 or min(group.count", "local calls = min(group.count"),
    NO_GRACE_AFTER_A_NEW_RUN("all.grace = from + GRACE\n", "all.grace = 0\n"),
    CLAIMS_OF_THE_GRACE_NEED_ROOM("now < all.grace and MOST_COUNTED or limit - all.held", "limit - all.held"),
    TOKENS_ARE_REUSED("all.ticket = first + (count or 1) - 1", "all.ticket = first"),
    A_CLAIM_DOES_NOT_FREE_THE_RECORD("room, all.held = max(0, room + freed), all.held - freed",
            "room = max(0, room + freed)"),
    ATTACHED_TWICE("hold.returned, hold.by, hold.epoch, hold.byGranted, changed[hold.field] = hold.granted, mine.name,",
            "hold.returned, hold.by, hold.epoch, hold.byGranted, changed[hold.field] = 0, hold.by,"),
    SHARES_EXPIRE_TOO_EARLY("local isKeptLonger = keepUntil + SLACK > all.kept", "local isKeptLonger = all.kept == 0");

    private final String text;
    private final String broken;

    ShareMutation(String text, String broken) {
        this.text = text;
        this.broken = broken;
    }

    /** The script with the defect. */
    public String applied(String script) {
        if (!script.contains(text)) {
            throw new AssertionError("The script has no " + text);
        }
        return script.replace(text, broken);
    }
}
