package io.quarkiverse.redisbulkhead.runtime.message;

import java.util.Locale;

/** What is logged at WARN or ERROR while an application runs. A page of the documentation explains each of them. */
public enum LogMessage {

    /** A permit was lost before its execution ended. */
    PERMIT_LOST,
    /** No code refers to a permit that was not released. */
    LEAKED,
    /** A permit has been held for longer than {@code warn-after}. */
    HELD_LONG,
    /** The work of a result goes on after the permit was released. */
    UNFINISHED,
    /** A call would wait for a permit that its own caller holds. */
    NESTED,
    /** Instances have different limits for one bulkhead. */
    LIMITS_DIFFER,
    /** Code defines one name with different leases. */
    LEASES_DIFFER,
    /** Redis is unavailable. */
    AWAY,
    /** Redis answered a command with an error that does not pass. */
    REFUSED,
    /** Redis does not let this instance subscribe to its channel. */
    SUBSCRIBE,
    /** Redis does not let this instance publish. */
    PUBLISH,
    /** The channel of this instance got a text that is no message. */
    UNKNOWN_MESSAGE,
    /** The management endpoint is not protected. */
    OPEN_ENDPOINT,
    /** An observer of the application failed, or no thread was free for it. */
    OBSERVER_FAILED,
    /** A defect of the extension or of a library. */
    UNEXPECTED;

    /** The last sentence of the message: where it is explained. Without a full stop. */
    @Override
    public String toString() {
        return "See " + MessageCode.SITE + "log-messages.html#" + name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
