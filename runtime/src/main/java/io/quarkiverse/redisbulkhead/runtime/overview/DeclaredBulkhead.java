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
}
