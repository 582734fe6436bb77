package io.quarkiverse.redisbulkhead.runtime.definition;

import java.time.DateTimeException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import io.quarkiverse.redisbulkhead.BulkheadSpec;
import io.quarkiverse.redisbulkhead.LockSpec;
import io.quarkiverse.redisbulkhead.OnLost;
import io.quarkiverse.redisbulkhead.OnOutage;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadRuntimeConfig.OnFull;
import io.quarkiverse.redisbulkhead.runtime.definition.EffectiveDefinitions.Value;
import io.quarkiverse.redisbulkhead.runtime.message.Texts;
import io.quarkus.runtime.configuration.DurationConverter;
import io.smallrye.config.Converters;

/**
 * The properties of the extension, without prefix and name, and what their values must be. Not taken from the configuration
 * mappings, as that needs reflection; a test compares both.
 */
final class KnownProperties {

    /** The group of the properties of locks. */
    static final String LOCKS = "lock";

    /** The property that is a list. */
    static final String LIST = "metrics.names";

    private static final String CLUSTER_INTERVAL = "metrics.cluster-interval";

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
            CLUSTER_INTERVAL, LIST, "metrics.key-tag", "tracing.key-attribute");

    /** Those that are not of one bulkhead or lock. */
    static final TreeSet<String> GLOBAL = sorted("store", "redis-client", "devservices.enabled", "devservices.executable",
            "management.enabled", "management.changes-enabled", "health.enabled", "metrics.enabled", "tracing.enabled");

    static {
        GLOBAL.addAll(FOR_ALL);
    }

    /** The bounds of values that are not part of a definition: those of definitions are checked by their builders. */
    private record Bounds(long least, long most, String text) {
    }

    // Durations in milliseconds.
    private static final Map<String, Bounds> BOUNDS = Map.of(
            "instances", new Bounds(1, Integer.MAX_VALUE, "at least 1"),
            "max-blocked-threads", new Bounds(0, Integer.MAX_VALUE, "at least 0"),
            "rest.status", new Bounds(400, 599, "an HTTP error status from 400 to 599"),
            "command-timeout", new Bounds(1, 3_600_000, "from one millisecond to one hour"),
            "lock-store.step-timeout", new Bounds(50, 60_000, "from 50 milliseconds to one minute"),
            "lock-store.contention-timeout", new Bounds(51, 3_600_000, "longer than stepTimeout, and at most one hour"),
            CLUSTER_INTERVAL, new Bounds(100, 86_400_000, "zero or from 100 milliseconds to one day"),
            "warn-after", new Bounds(0, SemaphoreSpec.MAX_EXPIRE.toMillis(), "from zero to 365 days"));

    private KnownProperties() {
    }

    private static TreeSet<String> sorted(String... names) {
        return new TreeSet<>(List.of(names));
    }

    /** Whether a property or a group of properties has this name, so that no bulkhead can have it. */
    static boolean isReserved(String name) {
        String next = GLOBAL.ceiling(name + ".");
        return GLOBAL.contains(name) || next != null && next.startsWith(name + ".");
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
        String expected = "a duration such as 30s, 500ms or PT30S";
        try {
            switch (member) {
                case "permits", "weight", "local-permits", "max-waiters", "instances", "max-blocked-threads", "rest.status" -> {
                    expected = "a whole number up to " + Integer.MAX_VALUE;
                    return Integer.valueOf(word);
                }
                case "enabled", "fair", "await-release", "record-places", "rest.expose-name", "metrics.key-tag",
                        "tracing.key-attribute" -> {
                    expected = "true or false";
                    return truth(word);
                }
                case "on-lost" -> {
                    expected = "report or interrupt";
                    return Converters.getImplicitConverter(OnLost.class).convert(text);
                }
                case "on-full" -> {
                    expected = "reject or skip";
                    return Converters.getImplicitConverter(OnFull.class).convert(text);
                }
                case "on-outage" -> {
                    expected = "reject, allow or local";
                    return Converters.getImplicitConverter(OnOutage.class).convert(text);
                }
                case "rest.retry-after" -> {
                    expected = "none, or a duration from one second to 365 days such as 5s, 2m or PT5S";
                    return word.equals("none") ? Duration.ZERO : retryAfter(DurationConverter.parseDuration(word));
                }
                case "key-prefix", LIST -> {
                    return text;
                }
                default -> {
                    return Duration.ofMillis(DurationConverter.parseDuration(text).toMillis());
                }
            }
        } catch (IllegalArgumentException | ArithmeticException | DateTimeException | NullPointerException e) {
            throw new IllegalArgumentException(inCamelCase(member) + " must be " + expected + ", but is '" + text + "'", e);
        }
    }

    // The converter of SmallRye Config reads every other text as false.
    private static boolean truth(String word) {
        return switch (word) {
            case "true", "yes", "y", "on", "1" -> true;
            case "false", "no", "n", "off", "0" -> false;
            default -> throw new IllegalArgumentException(word);
        };
    }

    private static Duration retryAfter(Duration delay) {
        if (delay.compareTo(Duration.ofSeconds(1)) < 0 || delay.compareTo(SemaphoreSpec.MAX_WAIT) > 0) {
            throw new IllegalArgumentException(delay.toString());
        }
        return delay;
    }

    /**
     * Reads one value, and checks it.
     *
     * @param group {@link #OF_BULKHEAD}, {@link #OF_LOCK} or {@link #FOR_ALL}
     * @param member one of the group
     * @param text the value, in which expressions are resolved
     * @return of the type that the mapping has
     * @throws IllegalArgumentException when it cannot be read, or is out of bounds
     */
    static Object valueOf(Set<String> group, String member, String text) {
        Object value = read(member, text);
        checkBounds(member, value);
        if (group == OF_BULKHEAD || member.equals("keep-idle")) {
            set(SemaphoreSpec.named("any"), member, value);
        } else if (group == OF_LOCK || member.startsWith(LOCKS + ".")) {
            set(LockSpec.named("any"), member.substring(member.indexOf('.') + 1), value);
        } else if (member.equals("key-prefix") && !isPrefix(text)) {
            throw new IllegalArgumentException("keyPrefix must consist of ASCII letters, digits and punctuation other than "
                    + "braces, quotation marks and backslashes, but is '" + text + "'");
        }
        return value;
    }

    private static boolean isPrefix(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c <= ' ' || c >= 127 || "{}\"\\".indexOf(c) >= 0) {
                return false;
            }
        }
        return true;
    }

    private static void checkBounds(String member, Object value) {
        Bounds bounds = BOUNDS.get(member);
        if (bounds != null && !(member.equals(CLUSTER_INTERVAL) && value.equals(Duration.ZERO))) {
            long number = value instanceof Duration time ? time.toMillis() : (Integer) value;
            if (number < bounds.least() || number > bounds.most()) {
                throw new IllegalArgumentException(
                        inCamelCase(member) + " must be " + bounds.text() + ", but is " + value);
            }
        }
    }

    /** Sets the values that are known, and are part of a definition. */
    static void set(BulkheadSpec.Builder<?> spec, Map<String, Value> values) {
        for (Map.Entry<String, Value> stated : values.entrySet()) {
            if (stated.getValue().value() != null) {
                set(spec, stated.getKey(), stated.getValue().value());
            }
        }
    }

    private static void set(BulkheadSpec.Builder<?> spec, String member, Object value) {
        switch (member) {
            case "permits" -> ((SemaphoreSpec.Builder) spec).permits((Integer) value);
            case "weight" -> ((SemaphoreSpec.Builder) spec).weight((Integer) value);
            case "fair" -> spec.fair((Boolean) value);
            case "expire" -> ((SemaphoreSpec.Builder) spec).expire((Duration) value);
            case "max-wait" -> ((SemaphoreSpec.Builder) spec).maxWait((Duration) value);
            case "acquire-timeout" -> ((LockSpec.Builder) spec).acquireTimeout((Duration) value);
            case "lock-timeout" -> ((LockSpec.Builder) spec).lockTimeout((Duration) value);
            case "max-hold" -> spec.maxHold((Duration) value);
            case "min-hold" -> spec.minHold((Duration) value);
            case "keep-idle" -> spec.keepIdle((Duration) value);
            case "on-lost" -> spec.onLost((OnLost) value);
            case "on-outage" -> ((SemaphoreSpec.Builder) spec).onOutage((OnOutage) value);
            case "await-release" -> spec.awaitRelease((Boolean) value);
            case "local-permits" -> ((SemaphoreSpec.Builder) spec).localPermits((Integer) value);
            case "max-waiters" -> ((SemaphoreSpec.Builder) spec).maxWaiters((Integer) value);
            default -> {
                // Not part of a definition.
            }
        }
    }

    /** A member as annotations and specs write it: {@code maxWait}. */
    static String inCamelCase(String member) {
        return Texts.camelCase(member.substring(member.indexOf('.') + 1));
    }
}
