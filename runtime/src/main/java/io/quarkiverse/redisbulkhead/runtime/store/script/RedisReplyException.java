package io.quarkiverse.redisbulkhead.runtime.store.script;

import io.quarkiverse.redisbulkhead.runtime.store.StoreException;

/** Redis answered with an error: the command was refused and changed nothing. */
final class RedisReplyException extends StoreException {

    private static final long serialVersionUID = 1L;

    private final String reply;

    RedisReplyException(String reply, Throwable cause) {
        super(explain(reply), false, cause);
        this.reply = reply;
    }

    /** Whether the reply's first word is the given one, as in {@code NOSCRIPT}. */
    boolean is(String code) {
        return reply.startsWith(code + " ") || reply.equals(code);
    }

    private static String explain(String reply) {
        String said = "Redis answered: " + reply;
        if (reply.contains("WRONGTYPE")) {
            return said + ". Another application keeps data of its own under a key of this bulkhead; it was left alone. "
                    + "Set quarkus.redis-bulkhead.key-prefix to a prefix that nobody else uses";
        }
        if (reply.startsWith("NOPERM")) {
            return said
                    + ". The Redis user needs the commands EVALSHA and EVAL, those that the scripts call, and the keys under "
                    + "quarkus.redis-bulkhead.key-prefix";
        }
        return said;
    }
}
