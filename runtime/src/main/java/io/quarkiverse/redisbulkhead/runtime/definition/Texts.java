package io.quarkiverse.redisbulkhead.runtime.definition;

/** Parts of messages. */
public final class Texts {

    private static final int SHOWN = 40;

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
}
