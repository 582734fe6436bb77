package io.quarkiverse.redisbulkhead.runtime.overview;

/**
 * One value of the definition of a bulkhead, and where it comes from.
 *
 * @param member as the property of a single bulkhead is called, for example {@code max-wait}
 * @param value as people write it, or empty
 * @param source what states it
 * @param where the class or method that carries the annotation, or the property; empty for defaults
 */
public record DefinedValue(String member, String value, Source source, String where) {

    /** What states a value. */
    public enum Source {
        /** {@link io.quarkiverse.redisbulkhead.RedisBulkhead}. */
        ANNOTATION,
        /** A property. */
        CONFIGURATION,
        /** Nothing. */
        DEFAULT
    }
}
