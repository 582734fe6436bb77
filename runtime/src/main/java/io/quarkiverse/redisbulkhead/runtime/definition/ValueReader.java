package io.quarkiverse.redisbulkhead.runtime.definition;

import org.eclipse.microprofile.config.ConfigValue;

/** Decides whether a configured value can be read, before all values are read together. */
@FunctionalInterface
public interface ValueReader {

    /** Leaves that to the configuration mapping, which throws an exception. */
    ValueReader ANY = (property, value, errors) -> true;

    /**
     * Looks at one value.
     *
     * @param property its property, without prefix, and {@code *} for the name of a bulkhead or lock
     * @param value a value that is resolved
     * @param errors takes the reason why it cannot be read
     * @return whether it can be read
     */
    boolean isReadable(String property, ConfigValue value, ValidationErrors errors);
}
