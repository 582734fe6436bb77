package io.quarkiverse.redisbulkhead.runtime.overview;

import java.util.List;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;

/**
 * A bulkhead that annotations of this application declare, as it is in force.
 *
 * @param spec the definition
 * @param enabled whether it limits anything
 * @param keyed whether it has one limit for each key
 * @param values where each value comes from
 * @param places the classes and methods that carry its annotations
 * @param methods the methods that it guards, as {@code Class#method}, in alphabetical order
 */
public record DeclaredBulkhead(SemaphoreSpec spec, boolean enabled, boolean keyed, List<DefinedValue> values,
        List<String> places, List<String> methods) {

    /** Copies the lists. */
    public DeclaredBulkhead {
        values = List.copyOf(values);
        places = List.copyOf(places);
        methods = List.copyOf(methods);
    }

    /**
     * The bulkhead.
     *
     * @return its name
     */
    public String name() {
        return spec.name();
    }

    /**
     * One value of the definition of a bulkhead, and where it comes from.
     *
     * @param member as the property of a single bulkhead is called, for example {@code max-wait}
     * @param value as people write it, or what happens by default; empty for no bound
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
}
