package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

import io.vertx.redis.client.Response;
import io.vertx.redis.client.ResponseType;

/**
 * An error reply from Redis.
 *
 * @param text the reply, as in {@code NOSCRIPT No matching script}
 */
public record ErrorReply(String text) {

    /** The server is a replica, usually since a failover. */
    static final String READONLY = "READONLY";

    /** Too few replicas confirm writes: in a planned failover, the old master says this until it is demoted. */
    static final String NOREPLICAS = "NOREPLICAS";

    /** Errors that pass without intervention: failover, start-up, a long script. */
    private static final List<String> TRANSIENT = List.of(READONLY, NOREPLICAS, "LOADING", "MASTERDOWN", "CLUSTERDOWN",
            "TRYAGAIN", "BUSY");

    /**
     * The node of a cluster that a call is to go to.
     *
     * @param asking whether only for this call ({@code ASK})
     * @param slot the slot that the call is about
     * @param host its host; empty for the host of the replying node
     * @param port its port
     */
    record Redirection(boolean asking, int slot, String host, int port) {

        /** How a node of a cluster names another one: {@code MOVED 3999 127.0.0.1:6381}. */
        private static final Pattern FORM = Pattern.compile("\\b(MOVED|ASK) (\\d+) (\\S*):(\\d+)");
    }

    /** The error reply that a call failed with; empty for a lost connection, which the client reports in the same form. */
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

    /** Whether the error passes without intervention; the command was not executed. */
    boolean isTransient() {
        for (String code : TRANSIENT) {
            if (is(code)) {
                return true;
            }
        }
        return false;
    }

    /** Whether a transient error passes on the same connection; after others, another server may have been promoted. */
    boolean passesOnThisConnection() {
        return is("BUSY") || is("TRYAGAIN");
    }

    /** Whether authentication is required. Redis 6.2 uses another text for large commands. */
    boolean isAuthenticationMissing() {
        return is("NOAUTH") || text.contains("unauthenticated");
    }

    /** Whether the server executes nothing for now, so that calls are sent again. */
    boolean meansUnavailable() {
        return isTransient() || isAuthenticationMissing();
    }

    /** Whether the connection is refused until a setting changes. */
    boolean refusesConnection() {
        return isAuthenticationMissing() || is("WRONGPASS") || is("NOPERM");
    }

    /** Where a cluster wants the call to go; empty when the error says nothing of that. */
    Optional<Redirection> redirection() {
        var named = Redirection.FORM.matcher(text);
        return named.find()
                ? Optional.of(new Redirection(named.group(1).equals("ASK"), Integer.parseInt(named.group(2)), named.group(3),
                        Integer.parseInt(named.group(4))))
                : Optional.empty();
    }

    /**
     * The message for logs and exceptions, with the remedy if known.
     *
     * @param properties what the properties of the Redis client start with: {@code quarkus.redis}
     */
    String explanation(String properties) {
        String said = "Redis answered: " + Redacted.text(text);
        String remedy = remedy(properties);
        return remedy.isEmpty() ? said : (said.endsWith(".") ? said : said + ".") + " " + remedy;
    }

    private String remedy(String properties) {
        if (isAuthenticationMissing()) {
            return (text.contains("Authentication required") ? "Set " : "Authentication required: set ") + properties
                    + ".password, or a user and a password in " + properties + ".hosts";
        }
        if (is("WRONGPASS")) {
            return "Check " + properties + ".password, and the user and the password in " + properties + ".hosts";
        }
        if (is("WRONGTYPE")) {
            return "Another application uses a key of this bulkhead. The key was not changed. Set "
                    + "quarkus.redis-bulkhead.key-prefix to a prefix that no other application uses";
        }
        if (is("NOPERM") || text.contains("can't run this command") || text.contains("no permission")
                || text.contains("can't access at least one of the keys")) {
            return "The Redis user lacks a right. The documentation lists the commands for each store; keys and channels start with "
                    + "quarkus.redis-bulkhead.key-prefix. ACL LOG shows what was refused";
        }
        if (is("OOM")) {
            return "Redis is out of memory: raise maxmemory, or let other data expire";
        }
        if (is("MISCONF")) {
            return "Redis cannot save its data, so it refuses writes: check its log, and free disk space or change "
                    + "stop-writes-on-bgsave-error";
        }
        if (is(NOREPLICAS)) {
            return "Fewer replicas are connected than min-replicas-to-write requires, so Redis refuses writes: connect the "
                    + "missing replicas, or lower min-replicas-to-write";
        }
        if (is(READONLY)) {
            return "The server is a replica: set " + properties
                    + ".hosts to the master, or to the sentinels or cluster nodes that know it";
        }
        if (is("LAYOUT")) {
            return "The data of the bulkhead is that of another version of the extension. Update all applications to one "
                    + "version, or use another quarkus.redis-bulkhead.key-prefix";
        }
        if (is("MOVED") || is("ASK")) {
            return "The server is part of a Redis Cluster: set " + properties + ".client-type=cluster";
        }
        return "";
    }
}
