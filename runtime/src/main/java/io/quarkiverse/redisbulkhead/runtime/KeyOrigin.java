package io.quarkiverse.redisbulkhead.runtime;

/** Where the key of a call comes from. */
public sealed interface KeyOrigin {

    /** The bulkhead is one limit for all calls. */
    record None() implements KeyOrigin {
    }

    /**
     * A parameter is the key.
     *
     * @param index its position, from 0
     * @param name its name, for messages
     */
    record Parameter(int index, String name) implements KeyOrigin {
    }

    /**
     * A bean tells the key.
     *
     * @param bean the bean's identifier in the container
     * @param type the class that the annotation names, for messages
     */
    record Resolver(String bean, String type) implements KeyOrigin {
    }
}
