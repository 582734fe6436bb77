package io.quarkiverse.redisbulkhead.runtime.health;

/** Whether Redis does its part. */
enum RedisState {

    /** It does. */
    ANSWERS("answers"),
    /** It is away: nothing but transient failures has come from it for the command timeout. */
    AWAY("away"),
    /** It refuses what it is asked for, for example because of a password or a right. */
    REFUSES("refuses commands; the log says why"),
    /** Permits live in this process. */
    NOT_NEEDED("not needed");

    private final String text;

    RedisState(String text) {
        this.text = text;
    }

    /** As operators read it. */
    String text() {
        return text;
    }
}
