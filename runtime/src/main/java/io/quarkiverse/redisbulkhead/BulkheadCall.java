package io.quarkiverse.redisbulkhead;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;

/**
 * A call of a guarded method, as a {@link BulkheadKeyResolver} sees it.
 *
 * @param bulkhead the name of the bulkhead whose key is requested
 * @param method the guarded method, as {@code Class#method}
 * @param arguments the arguments of the call in their order, each of which may be null; unmodifiable
 */
public record BulkheadCall(String bulkhead, String method, List<Object> arguments) {

    /**
     * Describes a call.
     *
     * @param bulkhead the name of the bulkhead whose key is requested
     * @param method the guarded method, as {@code Class#method}
     * @param arguments the arguments of the call in their order; copied
     * @throws NullPointerException when a component is null
     */
    public BulkheadCall {
        Objects.requireNonNull(bulkhead, "bulkhead");
        Objects.requireNonNull(method, "method");
        arguments = Collections.unmodifiableList(new ArrayList<>(arguments));
    }
}
