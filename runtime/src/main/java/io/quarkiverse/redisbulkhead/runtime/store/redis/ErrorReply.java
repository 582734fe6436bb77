package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.util.Optional;
import java.util.regex.Pattern;

import io.vertx.redis.client.Response;
import io.vertx.redis.client.ResponseType;

/**
 * Redis answered with an error.
 *
 * @param text the reply, as in {@code NOSCRIPT No matching script}
 */
public record ErrorReply(String text) {

    /** The kind of error of a server that a failover has made a replica. */
    static final String READONLY = "READONLY";

    /** How the client reports, for a batch of commands, that the connection failed: by the name of an exception. */
    private static final Pattern EXCEPTION = Pattern.compile("(?m)^ERR \\[\\d+] ([a-z]\\w*\\.)+[A-Z]\\w*");

    /** What the server said, if that is what a call failed with: the client reports a lost connection in the same form. */
    public static Optional<ErrorReply> of(Throwable failure) {
        return failure instanceof Response reply && reply.type() == ResponseType.ERROR && !isOfConnection(failure.getMessage())
                ? Optional.of(new ErrorReply(failure.getMessage()))
                : Optional.empty();
    }

    private static boolean isOfConnection(String text) {
        return text.contains("CONNECTION_CLOSED") || EXCEPTION.matcher(text).find();
    }

    /** Whether the error is of that kind. Inside a script Redis 6.2 puts the kind somewhere in the middle of the text. */
    public boolean is(String code) {
        return text.startsWith(code) || text.contains(" " + code + " ") || text.contains("-" + code + " ");
    }

    /** What to tell, with the way out where there is one. */
    String explanation() {
        String said = "Redis answered: " + Redacted.text(text);
        if (is("WRONGTYPE")) {
            return said + ". Another application keeps data of its own under a key of this bulkhead; it was left alone. "
                    + "Set quarkus.redis-bulkhead.key-prefix to a prefix that nobody else uses";
        }
        if (is("NOPERM") || text.contains("can't run this command") || text.contains("no permission")) {
            return said
                    + ". The Redis user needs all commands that the documentation lists for the store, and the keys and channels under "
                    + "quarkus.redis-bulkhead.key-prefix";
        }
        return said;
    }
}
