package io.quarkiverse.redisbulkhead.runtime.store.reference;

import java.util.Properties;

/**
 * What came of a run.
 *
 * @param entries how many callers entered with a permit
 * @param beyond how many of them found the limit reached
 * @param highest how many were inside at once
 * @param rejections how many callers were rejected
 * @param rejectedUnseen how many of them before any client looked at the permits
 * @param rejectedWhileFewer how many of them while the observer counted fewer than the limit inside
 */
record LoadFigures(long entries, long beyond, long highest, long rejections, long rejectedUnseen,
        long rejectedWhileFewer) {

    static final LoadFigures NONE = new LoadFigures(0, 0, 0, 0, 0, 0);

    LoadFigures plus(LoadFigures other) {
        return new LoadFigures(entries + other.entries, beyond + other.beyond, Math.max(highest, other.highest),
                rejections + other.rejections, rejectedUnseen + other.rejectedUnseen,
                rejectedWhileFewer + other.rejectedWhileFewer);
    }

    Properties toProperties() {
        Properties properties = new Properties();
        properties.setProperty("entries", Long.toString(entries));
        properties.setProperty("beyond", Long.toString(beyond));
        properties.setProperty("highest", Long.toString(highest));
        properties.setProperty("rejections", Long.toString(rejections));
        properties.setProperty("rejectedUnseen", Long.toString(rejectedUnseen));
        properties.setProperty("rejectedWhileFewer", Long.toString(rejectedWhileFewer));
        return properties;
    }

    static LoadFigures of(Properties properties) {
        return new LoadFigures(number(properties, "entries"), number(properties, "beyond"),
                number(properties, "highest"), number(properties, "rejections"), number(properties, "rejectedUnseen"),
                number(properties, "rejectedWhileFewer"));
    }

    private static long number(Properties properties, String name) {
        return Long.parseLong(properties.getProperty(name));
    }
}
