package io.quarkiverse.redisbulkhead.runtime.store.redis;

import io.quarkiverse.redisbulkhead.runtime.store.StoreException;

/** Redis answered a call with an error. */
public final class RefusedException extends StoreException {

    private static final long serialVersionUID = 1L;

    private final String reply;

    RefusedException(ErrorReply reply, String explanation, boolean outcomeUnknown) {
        super(explanation, outcomeUnknown, null);
        this.reply = reply.text();
    }

    /** What Redis said. */
    public ErrorReply reply() {
        return new ErrorReply(reply);
    }
}
