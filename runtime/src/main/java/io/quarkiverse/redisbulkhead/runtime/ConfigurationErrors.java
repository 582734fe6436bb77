package io.quarkiverse.redisbulkhead.runtime;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;
import io.quarkus.runtime.configuration.ConfigurationException;

/** What is wrong with the configuration, collected to be reported together. Not safe for threads. */
final class ConfigurationErrors {

    private final List<String> errors = new ArrayList<>();

    /**
     * Notes an error.
     *
     * @param code its number
     * @param error names the property, and tells what is wrong with it
     */
    void add(MessageCode code, String error) {
        errors.add(code + " " + error);
    }

    /** Notes an error of a place. */
    void add(MessageCode code, String place, String error) {
        add(code, place + ": " + error);
    }

    /** Sets a value, and notes if it is refused. */
    <T> boolean set(String property, T value, Consumer<T> setter) {
        try {
            setter.accept(value);
            return true;
        } catch (IllegalArgumentException e) {
            add(MessageCode.RBH005, property, e.getMessage());
            return false;
        }
    }

    int size() {
        return errors.size();
    }

    /**
     * Ends the collection.
     *
     * @throws ConfigurationException with all errors, if there are any
     */
    void report() {
        if (!errors.isEmpty()) {
            throw new ConfigurationException("The configuration of Redis Bulkhead has "
                    + (errors.size() == 1 ? "an error" : errors.size() + " errors") + ":\n  "
                    + String.join("\n  ", errors) + "\n" + MessageCode.WHERE_EXPLAINED);
        }
    }
}
