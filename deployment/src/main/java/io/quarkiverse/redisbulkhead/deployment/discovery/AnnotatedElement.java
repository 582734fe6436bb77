package io.quarkiverse.redisbulkhead.deployment.discovery;

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
public record AnnotatedElement(Declaration declaration, List<WrittenBulkhead> bulkheads) {

    /**
     * Whether a method carries the annotation, not a class.
     *
     * @return true for a method
     */
    public boolean isMethod() {
        return declaration.kind() == Kind.METHOD;
    }

    /**
     * The annotated method.
     *
     * @return the declaration; only for a method
     */
    public MethodInfo method() {
        return declaration.asMethod();
    }

    /**
     * The annotated class, or that of the annotated method.
     *
     * @return the class
     */
    public ClassInfo type() {
        return isMethod() ? method().declaringClass() : declaration.asClass();
    }

    /** Equal for the same class or method, even when it comes from different indexes. */
    EquivalenceKey key() {
        return EquivalenceKey.of(declaration);
    }

    /**
     * How errors name it.
     *
     * @return the class or method
     */
    public String place() {
        return isMethod() ? SourceLocations.of(method()) : SourceLocations.of(type());
    }
}
