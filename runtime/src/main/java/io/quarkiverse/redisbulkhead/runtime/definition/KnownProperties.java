package io.quarkiverse.redisbulkhead.runtime.definition;

import java.time.DateTimeException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

import io.quarkiverse.redisbulkhead.OnLost;
import io.quarkiverse.redisbulkhead.OnOutage;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.config.OnFull;
import io.quarkus.runtime.configuration.DurationConverter;
import io.smallrye.config.Converters;

/**
 * The properties of the extension, without prefix and name, and the types of their values. Not taken from the configuration
 * mappings, as that needs reflection; a test compares both.
 */
final class KnownProperties {

    /** The group of the properties of locks. */
    static final String LOCKS = "lock";

    /** The property that is a list. */
    static final String LIST = "metrics.names";

    /** Those of one bulkhead. */
    static final Set<String> OF_BULKHEAD = sorted("permits", "weight", "fair", "expire", "max-wait", "max-hold", "min-hold",
            "keep-idle", "warn-after", "on-lost", "on-full", "on-outage", "local-permits", "max-waiters", "await-release",
            "rest.retry-after", "enabled");

    /** Those of one lock. */
    static final Set<String> OF_LOCK = sorted("acquire-timeout", "lock-timeout", "min-hold", "keep-idle", "warn-after",
            "fair");

    /** The others that are set at run time. */
    static final Set<String> FOR_ALL = sorted("enabled", "key-prefix", "command-timeout", "on-outage", "await-release",
            "keep-idle", "warn-after", "record-places", "instances", "max-blocked-threads", "rest.status", "rest.retry-after",
            "rest.expose-name",
            "lock-store.step-timeout", "lock-store.contention-timeout", "lock.acquire-timeout", "lock.lock-timeout",
            "metrics.cluster-interval", LIST, "metrics.key-tag", "tracing.key-attribute");

    /** Those that are not of one bulkhead or lock. */
    static final Set<String> GLOBAL = sorted("store", "redis-client", "devservices.enabled", "devservices.executable",
            "management.enabled", "management.changes-enabled", "health.enabled", "metrics.enabled", "tracing.enabled");

    static {
        GLOBAL.addAll(FOR_ALL);
    }

    private static final Set<String> TRUE = Set.of("true", "yes", "y", "on", "1");
    private static final Set<String> FALSE = Set.of("false", "no", "n", "off", "0");

    private KnownProperties() {
    }

    private static Set<String> sorted(String... names) {
        return new TreeSet<>(List.of(names));
    }

    /** The members of a group of global properties, such as those of {@code rest}. */
    static Set<String> inGroup(String group) {
        Set<String> members = new TreeSet<>();
        for (String property : GLOBAL) {
            if (property.startsWith(group + ".")) {
                members.add(property.substring(group.length() + 1));
            }
        }
        return members;
    }

    /** The groups of global properties, such as {@code rest}. */
    static Set<String> groups() {
        Set<String> groups = new TreeSet<>();
        for (String property : GLOBAL) {
            if (property.indexOf('.') > 0) {
                groups.add(property.substring(0, property.indexOf('.')));
            }
        }
        return groups;
    }

    /** Whether a property or a group of properties has this name, so that no bulkhead can have it. */
    static boolean isReserved(String name) {
        return GLOBAL.contains(name) || groups().contains(name);
    }

    /**
     * Reads a value.
     *
     * @param member one of the properties that are set at run time
     * @param text the value, in which expressions are resolved
     * @return of the type that the mapping has; a {@link Duration} for {@code Retry-After}, zero for {@code none}
     * @throws IllegalArgumentException says what it must be
     */
    static Object read(String member, String text) {
        String word = text.trim().toLowerCase(Locale.ROOT);
        try {
            switch (member) {
                case "permits", "weight", "local-permits", "max-waiters", "instances", "max-blocked-threads", "rest.status":
                    return Integer.valueOf(word);
                case "enabled", "fair", "await-release", "record-places", "rest.expose-name", "metrics.key-tag",
                        "tracing.key-attribute":
                    return truth(word);
                case "on-lost":
                    return Converters.getImplicitConverter(OnLost.class).convert(text);
                case "on-full":
                    return Converters.getImplicitConverter(OnFull.class).convert(text);
                case "on-outage":
                    return Converters.getImplicitConverter(OnOutage.class).convert(text);
                case "rest.retry-after":
                    return word.equals("none") ? Duration.ZERO : retryAfter(DurationConverter.parseDuration(word));
                case "key-prefix", LIST:
                    return text;
                default:
                    return Duration.ofMillis(DurationConverter.parseDuration(text).toMillis());
            }
        } catch (IllegalArgumentException | ArithmeticException | DateTimeException | NullPointerException e) {
            throw new IllegalArgumentException(
                    inCamelCase(member) + " must be " + expected(member) + ", but is '" + text + "'", e);
        }
    }

    // The converter of SmallRye Config reads every other text as false.
    private static Boolean truth(String word) {
        if (!TRUE.contains(word) && !FALSE.contains(word)) {
            throw new IllegalArgumentException(word);
        }
        return TRUE.contains(word);
    }

    private static Duration retryAfter(Duration delay) {
        if (delay.compareTo(Duration.ofSeconds(1)) < 0 || delay.compareTo(SemaphoreSpec.MAX_WAIT) > 0) {
            throw new IllegalArgumentException(delay.toString());
        }
        return delay;
    }

    private static String expected(String member) {
        return switch (member) {
            case "permits", "weight", "local-permits", "max-waiters", "instances", "max-blocked-threads", "rest.status" ->
                "a whole number up to " + Integer.MAX_VALUE;
            case "enabled", "fair", "await-release", "record-places", "rest.expose-name", "metrics.key-tag",
                    "tracing.key-attribute" ->
                "true or false";
            case "on-lost" -> "report or interrupt";
            case "on-full" -> "reject or skip";
            case "on-outage" -> "reject, allow or local";
            case "rest.retry-after" -> "none, or a duration from one second to 365 days such as 5s, 2m or PT5S";
            default -> "a duration such as 30s, 500ms or PT30S";
        };
    }

    /** A member as annotations and specs write it: {@code maxWait}. */
    static String inCamelCase(String member) {
        StringBuilder written = new StringBuilder();
        for (String word : member.substring(member.indexOf('.') + 1).split("-")) {
            written.append(written.isEmpty() ? word : Character.toUpperCase(word.charAt(0)) + word.substring(1));
        }
        return written.toString();
    }
}
