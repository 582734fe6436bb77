package io.quarkiverse.redisbulkhead.runtime.definition;

import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.quarkiverse.redisbulkhead.RedisBulkhead;

/**
 * What the build found out about the application's bulkheads. The recorder carries it into the application.
 *
 * @param bulkheads one entry per annotation, by location
 * @param namesElsewhere the names, as written, in annotations that are not in force in this build, for example those of another
 *        profile; configuration may hold values for them
 * @param methods one entry per guarded method of a bean
 * @param inCode what is known about bulkheads that code defines
 */
public record Declarations(List<BulkheadDeclaration> bulkheads, List<String> namesElsewhere,
        List<MethodDeclaration> methods, DefinedInCode inCode) {

    /** Stands for a part of a name that is known only at run time. */
    public static final char OPEN = '\1';

    /**
     * One {@link RedisBulkhead} as it is written. Its texts may hold expressions, and configuration may still change the
     * values. What it does not state applies as other annotations of the same name, or the configuration, state it.
     *
     * @param location where it is written, as {@code Class#method} or {@code Class}
     * @param name the bulkhead
     * @param values what it states, by member as in the configuration, such as {@code max-wait}
     * @param keyResolver the class of the bean that resolves the keys, if any
     */
    public record BulkheadDeclaration(String location, String name, Map<String, String> values, Optional<String> keyResolver) {

        // Written out, because what the compiler generates for records is linked when the application starts, which takes
        // milliseconds.
        @Override
        public boolean equals(Object other) {
            return other instanceof BulkheadDeclaration written && location.equals(written.location)
                    && name.equals(written.name)
                    && values.equals(written.values) && keyResolver.equals(written.keyResolver);
        }

        @Override
        public int hashCode() {
            return 31 * location.hashCode() + name.hashCode();
        }
    }

    /**
     * A method of a bean that the interceptor guards, as the build found it.
     *
     * @param beanClass the binary name of the bean's class, which may be a subclass of the method's class
     * @param name the method's name
     * @param parameterTypes the binary names of the erased parameter types, as {@link Class#getName()} writes them
     * @param returns how the end of an execution is seen; null while the build knows that it cannot be seen
     * @param returnsValue whether its executions have a result
     * @param label how operators see the method: {@code Class#method}
     * @param place how errors name it: where it is declared
     * @param bulkheads its bulkheads in the order in which permits are acquired, at least one
     */
    public record MethodDeclaration(String beanClass, String name, List<String> parameterTypes, ReturnKind returns,
            boolean returnsValue, String label, String place, List<BulkheadUse> bulkheads) {
    }

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
     * @param annotation on the method or its class
     * @param key where the key of a call comes from; null while the build knows of a mistake there
     * @param weightParameter the parameter that is the weight of a call, or {@link #NO_PARAMETER}
     */
    public record BulkheadUse(BulkheadDeclaration annotation, KeyOrigin key, int weightParameter) {

        /** The weight of calls is no parameter. */
        public static final int NO_PARAMETER = -1;

        /**
         * Whether calls with different arguments take permits of different keys, or different weights.
         *
         * @return {@code false} when all calls take the same
         */
        public boolean dependsOnArguments() {
            return !(key instanceof KeyOrigin.None) || weightParameter != NO_PARAMETER;
        }
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

    /**
     * What the build can tell about the bulkheads that code defines with a {@link io.quarkiverse.redisbulkhead.SemaphoreSpec}.
     *
     * @param possible whether a class of the application uses that type at all
     * @param names the constant texts in those classes, among which most names are; {@link #OPEN} stands for what a
     *        concatenation inserts
     */
    public record DefinedInCode(boolean possible, List<String> names) {

        /** Code defines no bulkheads. */
        public static final DefinedInCode NONE = new DefinedInCode(false, List.of());
    }
}
