package io.quarkiverse.redisbulkhead.deployment.discovery;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.AnnotationOverlay;
import org.jboss.jandex.AnnotationTarget;
import org.jboss.jandex.AnnotationTarget.Kind;
import org.jboss.jandex.AnnotationValue;
import org.jboss.jandex.DotName;
import org.jboss.jandex.EquivalenceKey;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.MethodInfo;
import org.jboss.jandex.MethodParameterInfo;
import org.jboss.jandex.Type;

/**
 * Finds the parameters that carry the annotation of keys, or that of weights. Generated classes and bridges are not the user's.
 */
final class KeyParameters {

    private final AnnotationOverlay annotations;
    private final Set<DotName> generatedClasses;
    private final DotName mark;

    /**
     * @param mark the annotation of keys, or that of weights
     */
    KeyParameters(AnnotationOverlay annotations, Set<DotName> generatedClasses, DotName mark) {
        this.annotations = annotations;
        this.mark = mark;
        this.generatedClasses = generatedClasses;
    }

    /**
     * Those of one method, in their order.
     *
     * @param method the method as the user wrote it
     * @param resolution resolves type variables
     */
    List<KeyParameter> of(MethodInfo method, UnaryOperator<Type> resolution) {
        // The overlay of the container keeps the annotations of parameters with their method.
        return annotations.annotations(method).stream()
                .filter(annotation -> mark.equals(annotation.name()) && isOnParameter(annotation.target()))
                .map(annotation -> key(annotation, resolution))
                .sorted(Comparator.comparing(KeyParameter::index))
                .toList();
    }

    /** Those of all methods, guarded or not. */
    List<KeyParameter> in(IndexView... indexes) {
        Map<EquivalenceKey, KeyParameter> found = new LinkedHashMap<>();
        for (IndexView index : indexes) {
            for (AnnotationInstance annotation : index.getAnnotations(mark)) {
                if (isOnParameter(annotation.target()) && isUsers(annotation.target().asMethodParameter().method())) {
                    of(annotation.target().asMethodParameter().method(), UnaryOperator.identity())
                            .forEach(key -> found.putIfAbsent(key.key(), key));
                }
            }
        }
        return List.copyOf(found.values());
    }

    private static boolean isOnParameter(AnnotationTarget target) {
        return target != null && target.kind() == Kind.METHOD_PARAMETER;
    }

    private boolean isUsers(MethodInfo method) {
        return !method.isSynthetic() && !generatedClasses.contains(method.declaringClass().name());
    }

    private static KeyParameter key(AnnotationInstance annotation, UnaryOperator<Type> resolution) {
        MethodParameterInfo parameter = annotation.target().asMethodParameter();
        AnnotationValue bulkhead = annotation.value();
        return new KeyParameter(parameter, bulkhead == null ? "" : bulkhead.asString(), resolution.apply(parameter.type()));
    }
}
