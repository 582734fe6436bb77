package io.quarkiverse.redisbulkhead;

import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** Refuses bad values of definitions, and names the field. */
final class SpecChecks {

    private SpecChecks() {
    }

    static String name(String name, int maxLength) {
        if (name == null || name.isBlank()) {
            throw new IllegalArgumentException(
                    "name must not be blank, but is " + (name == null ? "null" : "'" + name + "'"));
        }
        if (name.length() > maxLength) {
            throw new IllegalArgumentException("name must not be longer than " + maxLength + " characters, but '"
                    + name.substring(0, 40) + "...' has " + name.length());
        }
        if (hasControlCharacter(name)) {
            throw new IllegalArgumentException("name must not contain control characters such as line feeds, but is '"
                    + name.replaceAll("\\p{Cc}", "?") + "' (with question marks in their place)");
        }
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(name)) {
            throw new IllegalArgumentException("name must be valid Unicode, but contains an unpaired surrogate");
        }
        return name;
    }

    private static boolean hasControlCharacter(String name) {
        for (int i = 0; i < name.length(); i++) {
            if (Character.isISOControl(name.charAt(i))) {
                return true;
            }
        }
        return false;
    }

    static int atLeast(int least, String field, int value) {
        if (value < least) {
            throw new IllegalArgumentException(field + " must be at least " + least + ", but is " + value);
        }
        return value;
    }

    static <T> T notNull(String field, T value) {
        if (value == null) {
            throw new IllegalArgumentException(field + " must not be null");
        }
        return value;
    }

    static Duration inRange(String field, Duration value, Duration least, Duration most) {
        notNull(field, value);
        if (value.compareTo(least) < 0) {
            String rule = least.isZero() ? " must not be negative" : " must be at least one millisecond";
            throw new IllegalArgumentException(field + rule + ", but is " + value);
        }
        if (value.compareTo(most) > 0) {
            throw new IllegalArgumentException(
                    field + " must not be longer than " + most.toDays() + " days, but is " + value);
        }
        return Duration.ofMillis(value.toMillis());
    }
}
