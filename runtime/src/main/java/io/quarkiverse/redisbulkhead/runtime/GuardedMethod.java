package io.quarkiverse.redisbulkhead.runtime;

import java.util.List;

/**
 * A method of a bean that the interceptor guards, found at build time.
 *
 * @param beanClass the binary name of the bean's class, which may be a subclass of the method's class
 * @param name the method's name
 * @param parameterTypes the binary names of the erased parameter types, as {@link Class#getName()} writes them
 * @param returns how the end of an execution is seen
 * @param label how the method is shown to people, as {@code Class#method}
 * @param bulkheads the bulkheads in the order in which they are taken, at least one
 */
public record GuardedMethod(String beanClass, String name, List<String> parameterTypes, ReturnKind returns, String label,
        List<GuardedBulkhead> bulkheads) {

    /** How the end of an execution is seen. */
    public enum ReturnKind {

        /** The method returns. */
        SYNCHRONOUS,
        /** The {@code Uni} ends. */
        UNI,
        /** The {@code Multi} ends. */
        MULTI,
        /** The {@code CompletionStage} completes. */
        STAGE
    }
}
