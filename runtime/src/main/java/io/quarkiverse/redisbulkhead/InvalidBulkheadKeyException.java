package io.quarkiverse.redisbulkhead;

import java.util.Objects;

/**
 * A request has no value, or a malformed one, for the parameter of a REST resource method that is annotated with
 * {@link BulkheadKey}. The method did not run, and no permit was requested. Other guarded methods throw
 * {@link IllegalArgumentException} for a key that is null.
 * <p>
 * In REST applications it becomes status 400, unless the application maps it itself.
 *
 * @serial exclude
 */
public class InvalidBulkheadKeyException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    private final String name;

    /**
     * Creates the exception.
     *
     * @param name the bulkhead, not null
     * @param message which parameter is wrong, not null
     */
    public InvalidBulkheadKeyException(String name, String message) {
        super(message);
        this.name = Objects.requireNonNull(name);
    }

    /**
     * The bulkhead whose key is missing or malformed.
     *
     * @return its name, never null
     */
    public String name() {
        return name;
    }
}
