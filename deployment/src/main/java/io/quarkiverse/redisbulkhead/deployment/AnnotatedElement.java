package io.quarkiverse.redisbulkhead.deployment;

import java.util.List;

import org.jboss.jandex.AnnotationTarget.Kind;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.Declaration;
import org.jboss.jandex.EquivalenceKey;
import org.jboss.jandex.MethodInfo;

/**
 * A class or method that carries {@link io.quarkiverse.redisbulkhead.RedisBulkhead}.
 *
 * @param declaration the class or method
 * @param bulkheads what its annotations say, in the order written, at least one
 */
record AnnotatedElement(Declaration declaration, List<WrittenBulkhead> bulkheads) {

    boolean isMethod() {
        return declaration.kind() == Kind.METHOD;
    }

    MethodInfo method() {
        return declaration.asMethod();
    }

    /** The annotated class, or that of the annotated method. */
    ClassInfo type() {
        return isMethod() ? method().declaringClass() : declaration.asClass();
    }

    /** Equal for the same class or method, even when it comes from different indexes. */
    EquivalenceKey key() {
        return EquivalenceKey.of(declaration);
    }

    /** How errors name it. */
    String place() {
        return isMethod() ? Places.of(method()) : Places.of(type());
    }
}
