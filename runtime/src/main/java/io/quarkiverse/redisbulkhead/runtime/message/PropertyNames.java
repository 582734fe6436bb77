package io.quarkiverse.redisbulkhead.runtime.message;

import java.util.ArrayList;
import java.util.List;

import io.smallrye.config.NameIterator;

/** The names of the properties of the extension, as documentation and messages write them. */
public final class PropertyNames {

    /** What the names of all properties of the extension start with. */
    public static final String PREFIX = "quarkus.redis-bulkhead.";

    private PropertyNames() {
    }

    /**
     * The name of a property of one bulkhead. The bulkhead stands in quotes, because its name may contain dots and more.
     *
     * @param bulkhead the bulkhead
     * @param member what is set for it
     * @return the name of the property
     */
    public static String of(String bulkhead, String member) {
        return PREFIX + segment(bulkhead) + "." + member;
    }

    /**
     * The name of a property of one lock.
     *
     * @param lock the lock
     * @param member what is set for it
     * @return the name of the property
     */
    public static String ofLock(String lock, String member) {
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
