package io.quarkiverse.redisbulkhead.runtime.message;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

import io.quarkiverse.redisbulkhead.LockSpec;
import io.smallrye.config.NameIterator;

/** Parts of messages, and the names of properties as documentation and messages write them. */
public final class Texts {

    /** What the names of all properties of the extension start with. */
    public static final String PREFIX = "quarkus.redis-bulkhead.";

    private static final int SHOWN = 40;
    private static final Pattern NEXT_WORD = Pattern.compile("[-_](.)");

    private Texts() {
    }

    /**
     * The annotation as people write it, with the name of the bulkhead.
     *
     * @param bulkhead the name as it is written
     * @return the text
     */
    public static String annotation(String bulkhead) {
        return "@RedisBulkhead(name = " + quoted(bulkhead) + ")";
    }

    /**
     * A name in quotes, not too much of it.
     *
     * @param name the name
     * @return the text
     */
    public static String quoted(String name) {
        return "\"" + (name.length() <= SHOWN ? name : name.substring(0, SHOWN) + "...") + "\"";
    }

    /**
     * What a name means to users.
     *
     * @param bulkhead the name of a bulkhead, or of the one behind a lock
     * @return the text
     */
    public static String bulkheadOrLock(String bulkhead) {
        return bulkhead.startsWith(LockSpec.BULKHEAD_PREFIX)
                ? "lock '" + bulkhead.substring(LockSpec.BULKHEAD_PREFIX.length()) + "'"
                : "bulkhead '" + bulkhead + "'";
    }

    /**
     * A constant as the label of a series or span, in lower camel case as MicroProfile has them.
     *
     * @param constant any
     * @return as {@code timedOut} for {@code TIMED_OUT}
     */
    public static String label(Enum<?> constant) {
        return camelCase(constant.name().toLowerCase(Locale.ROOT));
    }

    /**
     * Words as one, in lower camel case.
     *
     * @param words in lower case, separated by hyphens or underscores
     * @return as {@code maxWait} for {@code max-wait}
     */
    public static String camelCase(String words) {
        return NEXT_WORD.matcher(words).replaceAll(word -> word.group(1).toUpperCase(Locale.ROOT));
    }

    /**
     * Why no bulkhead can have a name, and what to do.
     *
     * @param bulkhead the name of a property of the extension
     * @return the rest of a sentence that begins with the bulkhead
     */
    public static String reserved(String bulkhead) {
        return " cannot be configured, because " + PREFIX + bulkhead
                + " is a property of the extension. Use another name, such as " + quoted(bulkhead + "-calls");
    }

    // ---- Names of properties

    /**
     * The name of a property of one bulkhead. The bulkhead stands in quotes, because its name may contain dots and more.
     *
     * @param bulkhead the bulkhead
     * @param member what is set for it
     * @return the name of the property
     */
    public static String property(String bulkhead, String member) {
        return PREFIX + segment(bulkhead) + "." + member;
    }

    /**
     * The name of a property of one lock.
     *
     * @param lock the lock
     * @param member what is set for it
     * @return the name of the property
     */
    public static String propertyOfLock(String lock, String member) {
        return PREFIX + "lock." + segment(lock) + "." + member;
    }

    /**
     * Takes the name of a property apart.
     *
     * @param property the name
     * @param prefix what it starts with, up to and including a dot
     * @return what stands between the dots of the rest, without quotes
     */
    public static List<String> segments(String property, String prefix) {
        NameIterator iterator = new NameIterator(property, prefix.length() - 1);
        List<String> segments = new ArrayList<>();
        while (iterator.hasNext()) {
            segments.add(iterator.getNextSegment());
            iterator.next();
        }
        return segments;
    }

    /**
     * A name as it stands within the name of a property.
     *
     * @param name the bulkhead or lock
     * @return in quotes
     */
    public static String segment(String name) {
        return '"' + name.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }
}
