package io.quarkiverse.redisbulkhead.faults.harness;

import java.util.Locale;
import java.util.function.BiPredicate;
import java.util.function.Predicate;
import java.util.regex.Pattern;

import io.vertx.core.json.JsonArray;

/** Recognizes the statements of an instance by what they are about, for a {@link Proxy}. */
public enum Operations {

    /** A call needs a permit. */
    ACQUIRE((permits, needs) -> needs),

    /** The last permits go back. */
    RELEASE((permits, needs) -> permits == 0 && !needs),

    /** The instance has permits, and needs none. */
    RENEW((permits, needs) -> permits > 0 && !needs);

    // The statement is a JSON array. A part of what was sent may end within it.
    private static final Pattern SYNC = Pattern.compile("\r\nsync\r\n\\$\\d+\r\n([^\r\n]*)\r\n");
    private static final int EPOCH = 2;
    private static final int GRANTED = 3;
    private static final int RETURNED = 4;
    private static final int REVOKED = 5;
    private static final int CALLS = 14;

    private final BiPredicate<Long, Boolean> statement;

    Operations(BiPredicate<Long, Boolean> statement) {
        this.statement = statement;
    }

    /** Recognizes it in what is sent to a server. All that {@link Store#LOCK} writes ends with {@code EXEC}. */
    public Predicate<String> in(Store store) {
        if (store == Store.LOCK) {
            return sent -> sent.toLowerCase(Locale.ROOT).contains("\r\nexec\r\n");
        }
        return sent -> SYNC.matcher(sent).results().anyMatch(found -> matches(new JsonArray(found.group(1))));
    }

    private boolean matches(JsonArray stated) {
        boolean needs = !stated.getJsonArray(CALLS).isEmpty();
        boolean known = stated.getLong(EPOCH) != 0;
        return (known || needs)
                && statement.test(stated.getLong(GRANTED) - stated.getLong(RETURNED) - stated.getLong(REVOKED), needs);
    }
}
