package io.quarkiverse.redisbulkhead.faults.harness;

import java.util.Locale;
import java.util.function.BiPredicate;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** Recognizes the statements of an instance by what they are about, for a {@link Proxy}. */
public enum Operations {

    /** A call needs a permit. */
    ACQUIRE((permits, needs) -> needs),

    /** The last permits go back. */
    RELEASE((permits, needs) -> permits == 0 && !needs),

    /** The instance has permits, and needs none. */
    RENEW((permits, needs) -> permits > 0 && !needs);

    private static final String ARGUMENT = "\r\n\\$\\d+\r\n([^\r\n]*)";
    // Instance and number, and then from the epoch to the immediate needs.
    private static final Pattern SYNC = Pattern.compile("\r\nsync" + ARGUMENT.repeat(16));
    private static final int EPOCH = 3;
    private static final int GRANTED = 4;
    private static final int RETURNED = 5;
    private static final int REVOKED = 6;
    private static final int NEEDS = 15;
    private static final int IMMEDIATE = 16;

    private final BiPredicate<Long, Boolean> statement;

    Operations(BiPredicate<Long, Boolean> statement) {
        this.statement = statement;
    }

    /**
     * Recognizes it in what is sent to a server. All that {@link Store#LOCK} writes ends with {@code EXEC}, whatever it is
     * about.
     */
    public Predicate<String> in(Store store) {
        if (store == Store.LOCK) {
            return sent -> sent.toLowerCase(Locale.ROOT).contains("\r\nexec\r\n");
        }
        return sent -> SYNC.matcher(sent).results().anyMatch(this::matches);
    }

    private boolean matches(MatchResult sent) {
        boolean needs = !sent.group(NEEDS).isEmpty() || !sent.group(IMMEDIATE).isEmpty();
        boolean known = !sent.group(EPOCH).equals("0");
        return (known || needs)
                && statement.test(number(sent, GRANTED) - number(sent, RETURNED) - number(sent, REVOKED), needs);
    }

    private static long number(MatchResult sent, int argument) {
        return Long.parseLong(sent.group(argument));
    }
}
