package io.quarkiverse.redisbulkhead.runtime.store.reference;

import java.util.Properties;

/**
 * The figures of a run.
 *
 * @param entries callers that entered with a permit
 * @param beyond entries above the limit
 * @param highest the highest concurrency
 * @param rejections rejected callers
 * @param rejectedUnseen rejections before any client read the permits
 * @param rejectedBelowLimit rejections while the observer counted fewer callers than the limit
 */
record LoadFigures(long entries, long beyond, long highest, long rejections, long rejectedUnseen,
        long rejectedBelowLimit) {

    static final LoadFigures NONE = new LoadFigures(0, 0, 0, 0, 0, 0);

    LoadFigures plus(LoadFigures other) {
        return new LoadFigures(entries + other.entries, beyond + other.beyond, Math.max(highest, other.highest),
                rejections + other.rejections, rejectedUnseen + other.rejectedUnseen,
                rejectedBelowLimit + other.rejectedBelowLimit);
    }

    Properties toProperties() {
        Properties properties = new Properties();
        properties.setProperty("entries", Long.toString(entries));
        properties.setProperty("beyond", Long.toString(beyond));
        properties.setProperty("highest", Long.toString(highest));
        properties.setProperty("rejections", Long.toString(rejections));
        properties.setProperty("rejectedUnseen", Long.toString(rejectedUnseen));
        properties.setProperty("rejectedBelowLimit", Long.toString(rejectedBelowLimit));
        return properties;
    }

    static LoadFigures of(Properties properties) {
        return new LoadFigures(number(properties, "entries"), number(properties, "beyond"),
                number(properties, "highest"), number(properties, "rejections"), number(properties, "rejectedUnseen"),
                number(properties, "rejectedBelowLimit"));
    }

    private static long number(Properties properties, String name) {
        return Long.parseLong(properties.getProperty(name));
    }
}
