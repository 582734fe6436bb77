package io.quarkiverse.redisbulkhead.runtime.definition;

import java.util.Optional;

import io.quarkiverse.redisbulkhead.runtime.message.PropertyNames;

/** The name of a bulkhead or a lock may stand in quotes within the name of a property, or not where it needs none. */
public final class Spellings {

    private static final String LOCKS = PropertyNames.PREFIX + "lock.";
    private static final String NEED_QUOTES = ".\"\\[]";

    private Spellings() {
    }

    /**
     * How else a property of one bulkhead or lock can be written.
     *
     * @param property a name of any property, also with a profile as in {@code %prod.name}
     * @return with quotes if this is without, and the other way round; empty when there is no other way
     */
    public static Optional<String> other(String property) {
        int start = afterProfile(property);
        if (!property.startsWith(PropertyNames.PREFIX, start)) {
            return Optional.empty();
        }
        boolean ofLock = property.startsWith(LOCKS, start);
        int nameStart = start + (ofLock ? LOCKS : PropertyNames.PREFIX).length();
        int nameEnd = property.lastIndexOf('.');
        if (nameEnd <= nameStart) {
            return Optional.empty();
        }
        String name = property.substring(nameStart, nameEnd);
        String bare = isQuoted(name) ? name.substring(1, name.length() - 1) : name;
        if (needsQuotes(bare) || !ofLock && OwnProperties.isReserved(bare)) {
            return Optional.empty();
        }
        String other = isQuoted(name) ? bare : '"' + bare + '"';
        return Optional.of(property.substring(0, nameStart) + other + property.substring(nameEnd));
    }

    /**
     * Whether the name of the bulkhead or lock stands in quotes.
     *
     * @param property a name that has {@linkplain #other another spelling}
     * @return {@code true} with quotes
     */
    public static boolean isWithQuotes(String property) {
        return property.charAt(property.lastIndexOf('.') - 1) == '"';
    }

    private static int afterProfile(String property) {
        return property.startsWith("%") ? property.indexOf('.') + 1 : 0;
    }

    private static boolean isQuoted(String name) {
        return name.length() > 1 && name.startsWith("\"") && name.endsWith("\"");
    }

    private static boolean needsQuotes(String name) {
        return name.isEmpty() || name.chars().anyMatch(character -> NEED_QUOTES.indexOf(character) >= 0);
    }
}
