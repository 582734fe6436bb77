package io.quarkiverse.redisbulkhead.deployment.discovery;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.AnnotationTarget.Kind;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.Declaration;
import org.jboss.jandex.EquivalenceKey;
import org.jboss.jandex.MethodInfo;

import io.quarkiverse.redisbulkhead.BulkheadKeyResolver;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.BulkheadDeclaration;

/**
 * A class or method that carries {@link io.quarkiverse.redisbulkhead.RedisBulkhead}.
 *
 * @param declaration the class or method
 * @param bulkheads what its annotations say, in the order written, at least one
 */
public record AnnotatedElement(Declaration declaration, List<BulkheadDeclaration> bulkheads) {

    /**
     * Reads the annotations of one class or method.
     *
     * @param declaration the class or method
     * @param annotations all of its annotations
     * @return empty if the extension's is not among them
     */
    public static Optional<AnnotatedElement> of(Declaration declaration, Collection<AnnotationInstance> annotations) {
        List<AnnotationInstance> written = annotations.stream()
                .filter(annotation -> Names.REDIS_BULKHEADS.contains(annotation.name()))
                .flatMap(annotation -> Names.REDIS_BULKHEAD.equals(annotation.name()) ? Stream.of(annotation)
                        : Stream.of(annotation.value().asNestedArray()))
                .toList();
        if (written.isEmpty()) {
            return Optional.empty();
        }
        String place = SourceLocations.of(declaration);
        return Optional.of(new AnnotatedElement(declaration,
                written.stream().map(annotation -> read(place, annotation)).toList()));
    }

    private static BulkheadDeclaration read(String place, AnnotationInstance annotation) {
        Map<String, String> values = new TreeMap<>();
        annotation.values().forEach(value -> values.put(value.name(), value.value().toString()));
        values.remove("permits", Integer.toString(RedisBulkhead.PERMITS_UNSET));
        values.remove("weight", "1");
        values.remove("keyResolver", BulkheadKeyResolver.class.getName());
        if (values.containsKey("maxWait")) {
            values.put("max-wait", values.remove("maxWait"));
        }
        return new BulkheadDeclaration(place, values.remove("name"), values,
                Optional.ofNullable(values.remove("keyResolver")));
    }

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

    /**
     * Whether the annotations are for a method.
     *
     * @param method any method
     * @return true for the annotated method, and for those of the annotated class
     */
    public boolean covers(MethodInfo method) {
        return key().equals(EquivalenceKey.of(isMethod() ? method : method.declaringClass()));
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
        return bulkheads.get(0).location();
    }
}
