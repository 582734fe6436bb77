package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

import io.vertx.redis.client.Response;
import io.vertx.redis.client.ResponseType;

/**
 * An error that Redis answered with.
 *
 * @param text the reply, as in {@code NOSCRIPT No matching script}
 */
public record ErrorReply(String text) {

    /** The server is a replica, most often because a failover has made it one. */
    static final String READONLY = "READONLY";

    /** These pass by themselves: a failover, a start, or a script of somebody else ends. */
    private static final List<String> TRANSIENT = List.of(READONLY, "LOADING", "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN", "BUSY");

    /** These refuse the connection itself, whatever is sent over it. */
    private static final List<String> UNAUTHENTICATED = List.of("NOAUTH", "WRONGPASS", "NOPERM");

    /** How a node of a cluster names another one: {@code MOVED 3999 127.0.0.1:6381}. */
    private static final Pattern REDIRECTION = Pattern.compile("\\b(MOVED|ASK) (\\d+) (\\S*):(\\d+)");

    /**
     * The node of a cluster that a call is to go to.
     *
     * @param asking whether for this call only
     * @param slot the slot that the call is about
     * @param host its host; empty for that of the node that answered
     * @param port its port
     */
    record Redirection(boolean asking, int slot, String host, int port) {
    }

    /** What the server said, if that is what a call failed with: the client reports a lost connection in the same form. */
    public static Optional<ErrorReply> of(Throwable failure) {
        return failure instanceof Response reply && reply.type() == ResponseType.ERROR && !isOfConnection(failure.getMessage())
                ? Optional.of(new ErrorReply(failure.getMessage()))
                : Optional.empty();
    }

    private static boolean isOfConnection(String text) {
        return text.contains("CONNECTION_CLOSED");
    }

    /** Whether the error is of that kind. Inside a script Redis 6.2 puts the kind somewhere in the middle of the text. */
    public boolean is(String code) {
        return text.startsWith(code + " ") || text.equals(code) || text.contains(" " + code + " ")
                || text.contains("-" + code + " ");
    }

    /** Whether the error passes by itself; the command was not carried out. */
    boolean isTransient() {
        return TRANSIENT.stream().anyMatch(this::is);
    }

    /**
     * Whether Redis wants to know who is there before it answers anything. Redis 6.2 says so of large commands in words of its
     * own.
     */
    boolean isAuthenticationMissing() {
        return is("NOAUTH") || text.contains("unauthenticated");
    }

    /** Whether the error refuses a connection for as long as nobody changes a setting. */
    boolean refusesConnection() {
        return isAuthenticationMissing() || UNAUTHENTICATED.stream().anyMatch(this::is);
    }

    /** Where a cluster wants the call to go; empty when the error says nothing of that. */
    Optional<Redirection> redirection() {
        var named = REDIRECTION.matcher(text);
        return named.find()
                ? Optional.of(new Redirection(named.group(1).equals("ASK"), Integer.parseInt(named.group(2)), named.group(3),
                        Integer.parseInt(named.group(4))))
                : Optional.empty();
    }

    /** What to tell, with the way out where there is one. */
    String explanation() {
        String said = "Redis answered: " + Redacted.text(text);
        String wayOut = wayOut();
        return wayOut.isEmpty() ? said : (said.endsWith(".") ? said : said + ".") + " " + wayOut;
    }

    private String wayOut() {
        if (isAuthenticationMissing()) {
            return "Authentication required: set quarkus.redis.password, or a user and a password in quarkus.redis.hosts";
        }
        if (is("WRONGPASS")) {
            return "Check quarkus.redis.password, and the user and the password in quarkus.redis.hosts";
        }
        if (is("WRONGTYPE")) {
            return "Another application keeps data of its own under a key of this bulkhead; it was left alone. "
                    + "Set quarkus.redis-bulkhead.key-prefix to a prefix that nobody else uses";
        }
        if (is("NOPERM") || text.contains("can't run this command") || text.contains("no permission")
                || text.contains("can't access at least one of the keys")) {
            return "The Redis user needs all commands that the documentation lists for the store, and the keys and channels under "
                    + "quarkus.redis-bulkhead.key-prefix; ACL LOG shows what was refused";
        }
        if (is("OOM")) {
            return "The memory of Redis is full: raise maxmemory, or let other data expire";
        }
        if (is("MISCONF")) {
            return "Redis cannot save its data and takes no writes: see its log, and free disk space or change "
                    + "stop-writes-on-bgsave-error";
        }
        if (is("NOREPLICAS")) {
            return "Fewer replicas are connected than min-replicas-to-write demands, so Redis takes no writes";
        }
        if (is(READONLY)) {
            return "The server is a replica: let quarkus.redis.hosts name the master, or the sentinels or nodes that know it";
        }
        return "";
    }
}
