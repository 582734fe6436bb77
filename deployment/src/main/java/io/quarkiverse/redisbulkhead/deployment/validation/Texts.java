package io.quarkiverse.redisbulkhead.deployment.validation;

/** Parts of messages. */
final class Texts {

    private static final int SHOWN = 40;

    private Texts() {
    }

    /** The annotation as people write it, with the name of the bulkhead. */
    static String annotation(String bulkhead) {
        String shown = bulkhead.length() <= SHOWN ? bulkhead : bulkhead.substring(0, SHOWN) + "...";
        return "@RedisBulkhead(name = \"" + shown + "\")";
    }
}
