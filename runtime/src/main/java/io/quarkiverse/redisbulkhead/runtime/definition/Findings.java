package io.quarkiverse.redisbulkhead.runtime.definition;

import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;

/** Takes what is wrong. */
@FunctionalInterface
public interface Findings {

    /**
     * Takes one mistake.
     *
     * @param code its number
     * @param place the class, method or property
     * @param text what is wrong with it, and the way out
     */
    void add(MessageCode code, String place, String text);
}
