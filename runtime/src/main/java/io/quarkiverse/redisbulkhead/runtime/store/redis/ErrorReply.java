package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.net.UnknownHostException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;

import io.vertx.redis.client.Response;
import io.vertx.redis.client.ResponseType;

/**
 * An error reply from Redis, and what it means: this is the only place that tells errors apart.
 *
 * @param text the reply, as in {@code NOSCRIPT No matching script}
 */
record ErrorReply(String text) {

    /** Errors that pass without intervention: failover, start-up, a long script. The command was not executed. */
    private static final List<String> TRANSIENT = List.of("READONLY", "NOREPLICAS", "LOADING", "MASTERDOWN", "CLUSTERDOWN",
            "TRYAGAIN", "BUSY");

    private static final String AUTHENTICATION_REQUIRED = "Authentication required";

    private static final String NO_SUCH_DATABASE = "DB index";

    /** In a cluster, which has only one. */
    private static final String NO_DATABASES = "SELECT";

    /**
     * Other texts for the same error: for large commands without authentication in Redis 6.2, for a password without a user
     * where the default user has none and is off, and within scripts.
     */
    private static final Map<String, List<String>> ALIASES = Map.of("NOAUTH", List.of("unauthenticated"),
            "WRONGPASS", List.of("without any password configured"), AUTHENTICATION_REQUIRED, List.of(AUTHENTICATION_REQUIRED),
            "NOPERM",
            List.of("can't run this command", "no permission", "can't access at least one of the keys"));

    /** The way out, where {@code %s} stands for what the properties of the Redis client start with. */
    private static final List<Map.Entry<String, String>> REMEDIES = List.of(
            Map.entry(AUTHENTICATION_REQUIRED, "Set %1$s.password, or a user and a password in %1$s.hosts"),
            Map.entry("NOAUTH", "Authentication required: set %1$s.password, or a user and a password in %1$s.hosts"),
            Map.entry("WRONGPASS", "Check %1$s.password, and the user and the password in %1$s.hosts"),
            Map.entry(NO_SUCH_DATABASE, "Change the database number at the end of %1$s.hosts"),
            Map.entry(NO_DATABASES, "A Redis Cluster has only database 0: remove the number at the end of %1$s.hosts"),
            Map.entry("WRONGTYPE", "Another application uses a key of this bulkhead. The key was not changed. Set "
                    + "quarkus.redis-bulkhead.key-prefix to a prefix that no other application uses"),
            Map.entry("NOPERM", "The Redis user lacks a right. The documentation lists the commands for each store; keys and "
                    + "channels start with quarkus.redis-bulkhead.key-prefix. ACL LOG shows what was refused"),
            Map.entry("OOM", "Redis is out of memory: raise maxmemory, or let other data expire"),
            Map.entry("MISCONF", "Redis cannot save its data, so it refuses writes: check its log, and free disk space or "
                    + "change stop-writes-on-bgsave-error"),
            Map.entry("NOREPLICAS", "Fewer replicas are connected than min-replicas-to-write requires, so Redis refuses "
                    + "writes: connect the missing replicas, or lower min-replicas-to-write"),
            Map.entry("READONLY", "The server is a replica: set %1$s.hosts to the master, or to the sentinels or cluster "
                    + "nodes that know it"),
            Map.entry("LAYOUT", "The data of the bulkhead is that of another version of the extension. Update all "
                    + "applications to one version, or use another quarkus.redis-bulkhead.key-prefix"),
            Map.entry("MOVED", "The server is part of a Redis Cluster: set %1$s.client-type=cluster"),
            Map.entry("ASK", "The server is part of a Redis Cluster: set %1$s.client-type=cluster"));

    /** How a node of a cluster names another one: {@code MOVED 3999 127.0.0.1:6381}. */
    private static final Pattern REDIRECTION = Pattern.compile("\\b(MOVED|ASK) \\d+ (\\S*):(\\d+)");

    // Greedy, because a password may hold an @.
    private static final Pattern USER_INFO = Pattern.compile("(://)\\S*@");
    private static final Pattern PARAMETER = Pattern.compile("(?i)([?&](?:user|password)=)[^&\\s]*");
    // As servers quote a HELLO or an AUTH that they do not understand.
    private static final Pattern QUOTED_AUTH = Pattern.compile("(?is)(['`\"](?:AUTH|HELLO)['`\"]).*");
    // Causes may go round in circles.
    private static final int MOST_CAUSES = 20;

    /**
     * The node of a cluster that a call is to go to.
     *
     * @param asking whether only for this call ({@code ASK})
     * @param host its host; empty for the host of the replying node
     * @param port its port
     */
    record Redirection(boolean asking, String host, int port) {
    }

    /** The error reply that a call failed with; empty for a lost connection, which the client reports in the same form. */
    static Optional<ErrorReply> of(Throwable failure) {
        return failure instanceof Response reply && reply.type() == ResponseType.ERROR
                && !failure.getMessage().contains("CONNECTION_CLOSED") ? Optional.of(new ErrorReply(failure.getMessage()))
                        : Optional.empty();
    }

    /** Whether a call failed with an error reply of that kind. */
    static boolean is(Throwable failure, String code) {
        return of(failure).filter(error -> error.is(code)).isPresent();
    }

    /** Whether the error is of that kind. Inside a script Redis 6.2 puts the kind somewhere in the middle of the text. */
    boolean is(String code) {
        return text.startsWith(code + " ") || text.equals(code) || text.contains(" " + code + " ")
                || text.contains("-" + code + " ")
                || ALIASES.getOrDefault(code, List.of()).stream().anyMatch(text::contains);
    }

    /** Whether the server executes nothing for now, so that the same call may succeed soon. */
    boolean meansUnavailable() {
        return TRANSIENT.stream().anyMatch(this::is) || is("NOAUTH");
    }

    /** Whether another server may have been promoted, so that a new connection is needed. */
    boolean callsForAnotherConnection() {
        return meansUnavailable() && !is("BUSY") && !is("TRYAGAIN");
    }

    /** Whether the connection is refused until a setting changes. */
    boolean refusesConnection() {
        return is("NOAUTH") || is("WRONGPASS") || is("NOPERM") || is(NO_SUCH_DATABASE) || is(NO_DATABASES);
    }

    /** Where a cluster wants the call to go; empty when the error says nothing of that. */
    Optional<Redirection> redirection() {
        var named = REDIRECTION.matcher(text);
        return named.find() ? Optional.of(
                new Redirection(named.group(1).equals("ASK"), named.group(2), Integer.parseInt(named.group(3))))
                : Optional.empty();
    }

    /**
     * The message for logs and exceptions, with the remedy if known.
     *
     * @param properties what the properties of the Redis client start with: {@code quarkus.redis}
     */
    String explanation(String properties) {
        String said = "Redis answered: " + redacted(text).replaceFirst("\\.$", "");
        return REMEDIES.stream().filter(remedy -> is(remedy.getKey())).findFirst()
                .map(remedy -> said + ". " + remedy.getValue().formatted(properties)).orElse(said);
    }

    /** The text of a failure without secrets: its message, and that of its first cause, the only useful one for TLS. */
    static String reason(Throwable failure) {
        Throwable first = failure;
        for (int depth = 0; first.getCause() != null && depth < MOST_CAUSES; depth++) {
            first = first.getCause();
        }
        String message = said(failure);
        String cause = said(first);
        return message.contains(cause) ? message : message + ": " + cause;
    }

    private static String said(Throwable failure) {
        String text = redacted(Objects.toString(failure.getMessage(), failure.getClass().getSimpleName()));
        // Its message may be the host alone.
        return failure instanceof UnknownHostException ? "unknown host: " + text : text;
    }

    /** The text with stars in place of the user and the password of the server, as the client quotes addresses. */
    static String redacted(String text) {
        String open = USER_INFO.matcher(text).replaceAll("$1***@");
        return QUOTED_AUTH.matcher(PARAMETER.matcher(open).replaceAll("$1***")).replaceAll("$1***");
    }
}
