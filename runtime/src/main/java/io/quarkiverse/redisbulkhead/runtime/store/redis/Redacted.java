package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * What the Redis client reports, without the user and the password of the server: it quotes addresses as they are
 * configured, for example when no node of a cluster can be reached.
 */
final class Redacted {

    private static final String STARS = "***";
    // Causes may go round in circles.
    private static final int MOST_CAUSES = 20;

    // Greedy, because a password may hold an @.
    private static final Pattern USER_INFO = Pattern.compile("(://)\\S*@");
    private static final Pattern PARAMETER = Pattern.compile("(?i)([?&](?:user|password)=)[^&\\s]*");
    // As servers quote a HELLO or an AUTH that they do not understand.
    private static final Pattern QUOTED_AUTH = Pattern.compile("(?is)(['`\"](?:AUTH|HELLO)['`\"]).*");

    private Redacted() {
    }

    /** The text with stars in place of what is secret; null for null. */
    static String text(String text) {
        if (text == null) {
            return null;
        }
        String stars = "$1" + STARS;
        String open = USER_INFO.matcher(text).replaceAll(stars + "@");
        return QUOTED_AUTH.matcher(PARAMETER.matcher(open).replaceAll(stars)).replaceAll(stars);
    }

    /** The text of a failure: its message, and that of its first cause, which is the only useful one for TLS. */
    static String reason(Throwable failure) {
        Throwable first = failure;
        for (int depth = 0; first.getCause() != null && depth < MOST_CAUSES; depth++) {
            first = first.getCause();
        }
        String message = text(failure.getMessage());
        String cause = text(first.getMessage());
        return cause == null || message != null && message.contains(cause) ? message : message + ": " + cause;
    }

    /** The failure itself if neither it nor its causes contain secrets, or a copy without them. */
    static Throwable failure(Throwable failure) {
        return failure == null || !containsSecrets(failure, newSet()) ? failure : copy(failure, newSet());
    }

    private static boolean containsSecrets(Throwable failure, Set<Throwable> seen) {
        if (failure == null || !seen.add(failure)) {
            return false;
        }
        String message = failure.getMessage();
        if (message != null && !message.equals(text(message)) || containsSecrets(failure.getCause(), seen)) {
            return true;
        }
        for (Throwable suppressed : failure.getSuppressed()) {
            if (containsSecrets(suppressed, seen)) {
                return true;
            }
        }
        return false;
    }

    private static Throwable copy(Throwable failure, Set<Throwable> seen) {
        if (failure == null || !seen.add(failure)) {
            return null;
        }
        return new RedactedException(failure, copy(failure.getCause(), seen));
    }

    private static Set<Throwable> newSet() {
        return Collections.newSetFromMap(new IdentityHashMap<>());
    }

    /** Stands for an exception whose message is not to be seen. */
    private static final class RedactedException extends Exception {

        private static final long serialVersionUID = 1L;

        private RedactedException(Throwable original, Throwable cause) {
            super(text(original.toString()), cause);
            setStackTrace(original.getStackTrace());
        }
    }
}
