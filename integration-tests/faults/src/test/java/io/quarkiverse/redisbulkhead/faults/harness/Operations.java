package io.quarkiverse.redisbulkhead.faults.harness;

import java.util.Locale;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Recognizes the statements of an instance by what they are about, for a {@link Proxy}. */
public enum Operations {

    /** A call needs a permit. */
    ACQUIRE {
        @Override
        boolean matches(long permits, boolean needs) {
            return needs;
        }
    },

    /** The last permits go back. */
    RELEASE {
        @Override
        boolean matches(long permits, boolean needs) {
            return permits == 0 && !needs;
        }
    },

    /** The instance has permits, and needs none. */
    RENEW {
        @Override
        boolean matches(long permits, boolean needs) {
            return permits > 0 && !needs;
        }
    };

    private static final String ARGUMENT = "\r\n\\$\\d+\r\n([^\r\n]*)";
    // Instance and number, and then from the epoch to the immediate needs.
    private static final Pattern SYNC = Pattern.compile("\r\nsync" + ARGUMENT.repeat(16));
    private static final int EPOCH = 3;
    private static final int GRANTED = 4;
    private static final int RETURNED = 5;
    private static final int REVOKED = 6;
    private static final int NEEDS = 15;
    private static final int IMMEDIATE = 16;

    abstract boolean matches(long permits, boolean needs);

    /**
     * Recognizes it in what is sent to a server. All that {@link Store#LOCK} writes ends with {@code EXEC}, whatever it is
     * about.
     */
    public Predicate<String> in(Store store) {
        if (store == Store.LOCK) {
            return sent -> sent.toLowerCase(Locale.ROOT).contains("\r\nexec\r\n");
        }
        return sent -> {
            Matcher statements = SYNC.matcher(sent);
            return statements.results().anyMatch(this::matches);
        };
    }

    private boolean matches(MatchResult statement) {
        boolean needs = !statement.group(NEEDS).isEmpty() || !statement.group(IMMEDIATE).isEmpty();
        boolean known = !statement.group(EPOCH).equals("0");
        return (known || needs) && matches(number(statement, GRANTED) - number(statement, RETURNED)
                - number(statement, REVOKED), needs);
    }

    private static long number(MatchResult statement, int argument) {
        return Long.parseLong(statement.group(argument));
    }
}
