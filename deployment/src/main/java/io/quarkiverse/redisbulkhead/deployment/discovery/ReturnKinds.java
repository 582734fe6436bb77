package io.quarkiverse.redisbulkhead.deployment.discovery;

import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.MethodInfo;
import org.jboss.jandex.Type;

import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.ReturnKind;
import io.quarkiverse.redisbulkhead.runtime.guard.UnfinishedResults;

/**
 * Determines from the return type of a method how to observe the end of an execution.
 *
 * @param index all classes, loaded on demand
 */
public record ReturnKinds(IndexView index) {

    private static final Map<DotName, ReturnKind> OBSERVABLE = Map.of(
            DotName.createSimple("io.smallrye.mutiny.Uni"), ReturnKind.UNI,
            DotName.createSimple("io.smallrye.mutiny.Multi"), ReturnKind.MULTI,
            DotName.createSimple("java.util.concurrent.CompletionStage"), ReturnKind.STAGE,
            DotName.createSimple("java.util.concurrent.CompletableFuture"), ReturnKind.STAGE);

    // Types of executions that continue after the method has returned.
    private static final Set<DotName> ASYNCHRONOUS = UnfinishedResults.TYPES.stream().map(DotName::createSimple)
            .collect(Collectors.toUnmodifiableSet());

    /**
     * How to observe the end of an execution; empty when it cannot be seen.
     *
     * @param method the method
     * @param result its result, as {@link #resultOf} tells
     */
    Optional<ReturnKind> of(MethodInfo method, Type result) {
        return continuation(method).isEmpty() ? of(result)
                : of(result).filter(ReturnKind.SYNCHRONOUS::equals).map(ended -> ReturnKind.SUSPENDING);
    }

    // The compiler adds a last parameter to a Kotlin suspend function.
    private static Optional<Type> continuation(MethodInfo method) {
        return method.parameterTypes().stream().reduce((before, last) -> last)
                .filter(last -> Names.CONTINUATION.equals(last.name()));
    }

    /** The type of a result as the source has it: the bytecode of a suspend function returns {@code Object}. */
    static Type resultOf(MethodInfo method, Type returned) {
        return continuation(method).filter(continuation -> continuation.kind() == Type.Kind.PARAMETERIZED_TYPE)
                .map(continuation -> continuation.asParameterizedType().arguments().get(0))
                .map(taken -> taken.kind() == Type.Kind.WILDCARD_TYPE ? taken.asWildcardType().superBound() : taken)
                .orElse(returned);
    }

    /**
     * Whether a method has one result, later.
     *
     * @param type what it returns
     * @return true for a {@code Uni} or {@code CompletionStage}
     */
    public static boolean endsOnce(Type type) {
        ReturnKind kind = OBSERVABLE.get(type.name());
        return kind == ReturnKind.UNI || kind == ReturnKind.STAGE;
    }

    private Optional<ReturnKind> of(Type type) {
        if (parts(type).anyMatch(this::containsAsynchronous)) {
            return Optional.empty();
        }
        ReturnKind kind = OBSERVABLE.get(type.name());
        if (kind != null) {
            return Optional.of(kind);
        }
        return isAsynchronous(type.name(), new HashSet<>()) ? Optional.empty() : Optional.of(ReturnKind.SYNCHRONOUS);
    }

    private boolean containsAsynchronous(Type type) {
        return isAsynchronous(type.name(), new HashSet<>()) || parts(type).anyMatch(this::containsAsynchronous);
    }

    private static Stream<Type> parts(Type type) {
        return switch (type.kind()) {
            case PARAMETERIZED_TYPE -> type.asParameterizedType().arguments().stream();
            case ARRAY -> Stream.of(type.asArrayType().constituent());
            case WILDCARD_TYPE -> Stream.of(type.asWildcardType().extendsBound());
            default -> Stream.empty();
        };
    }

    private boolean isAsynchronous(DotName name, Set<DotName> seen) {
        if (name == null || !seen.add(name)) {
            return false;
        }
        if (ASYNCHRONOUS.contains(name)) {
            return true;
        }
        ClassInfo type = index.getClassByName(name);
        return type != null && (isAsynchronous(type.superName(), seen)
                || type.interfaceNames().stream().anyMatch(superInterface -> isAsynchronous(superInterface, seen)));
    }
}
