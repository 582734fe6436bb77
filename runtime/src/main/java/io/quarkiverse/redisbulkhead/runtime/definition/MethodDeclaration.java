package io.quarkiverse.redisbulkhead.runtime.definition;

import java.util.List;

/**
 * A method of a bean that the interceptor guards, as the build found it.
 *
 * @param beanClass the binary name of the bean's class, which may be a subclass of the method's class
 * @param name the method's name
 * @param parameterTypes the binary names of the erased parameter types, as {@link Class#getName()} writes them
 * @param returns how the end of an execution is seen
 * @param label how operators see the method: {@code Class#method}
 * @param bulkheads its bulkheads in the order in which permits are acquired, at least one
 */
public record MethodDeclaration(String beanClass, String name, List<String> parameterTypes, ReturnKind returns, String label,
        List<BulkheadUse> bulkheads) {

    /** How the end of an execution is seen. */
    public enum ReturnKind {

        /** The method returns. */
        SYNCHRONOUS,
        /** The {@code Uni} ends. */
        UNI,
        /** The {@code Multi} ends. */
        MULTI,
        /** The {@code CompletionStage} completes. */
        STAGE,
        /** The Kotlin {@code suspend} function ends. */
        SUSPENDING
    }

    /**
     * One of the bulkheads of a method.
     *
     * @param name the bulkhead, as the annotation has it
     * @param weight how much of the limit a call takes, unless that is configured
     * @param key where the key of a call comes from
     */
    public record BulkheadUse(String name, int weight, KeyOrigin key) {
    }

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
         * A bean resolves the key.
         *
         * @param bean the bean's identifier in the container
         * @param type the class that the annotation names, for messages
         */
        record Resolver(String bean, String type) implements KeyOrigin {
        }
    }
}
