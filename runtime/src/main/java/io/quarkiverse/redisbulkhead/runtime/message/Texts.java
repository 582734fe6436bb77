package io.quarkiverse.redisbulkhead.runtime.message;

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

    /**
     * Why no bulkhead can have a name, and what to do.
     *
     * @param bulkhead the name of a property of the extension
     * @return the rest of a sentence that begins with the bulkhead
     */
    public static String reserved(String bulkhead) {
        return " cannot be configured, because " + PropertyNames.PREFIX + bulkhead
                + " is a property of the extension. Use another name, such as " + quoted(bulkhead + "-calls");
    }
}
