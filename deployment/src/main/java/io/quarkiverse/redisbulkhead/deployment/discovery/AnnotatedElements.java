package io.quarkiverse.redisbulkhead.deployment.discovery;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.AnnotationOverlay;
import org.jboss.jandex.AnnotationTarget;
import org.jboss.jandex.AnnotationTarget.Kind;
import org.jboss.jandex.DotName;
import org.jboss.jandex.EquivalenceKey;
import org.jboss.jandex.IndexView;

/** Finds every class and method that carries the annotation, guarded or not, except generated classes and bridges. */
final class AnnotatedElements {

    private final AnnotationOverlay annotations;
    private final Set<DotName> generatedClasses;
    private final Map<EquivalenceKey, AnnotatedElement> found = new LinkedHashMap<>();

    AnnotatedElements(AnnotationOverlay annotations, Set<DotName> generatedClasses) {
        this.annotations = annotations;
        this.generatedClasses = generatedClasses;
    }

    AnnotatedElements addFrom(IndexView index) {
        for (DotName name : List.of(Names.REDIS_BULKHEAD, Names.REDIS_BULKHEAD_LIST)) {
            for (AnnotationInstance annotation : index.getAnnotations(name)) {
                AnnotationTarget target = annotation.target();
                if (target != null && isUsers(target)) {
                    add(target);
                }
            }
        }
        return this;
    }

    /** Adds annotations that only exist after transformations. */
    AnnotatedElements addSourcesOf(List<GuardedBeanMethod> guards) {
        guards.stream()
                .map(GuardedBeanMethod::source)
                .filter(source -> source != null)
                .forEach(source -> found.putIfAbsent(source.key(), source));
        return this;
    }

    List<AnnotatedElement> all() {
        return new ArrayList<>(found.values());
    }

    private boolean isUsers(AnnotationTarget target) {
        return target.kind() == Kind.CLASS && !generatedClasses.contains(target.asClass().name())
                || target.kind() == Kind.METHOD && !target.asMethod().isSynthetic()
                        && !generatedClasses.contains(target.asMethod().declaringClass().name());
    }

    private void add(AnnotationTarget target) {
        List<WrittenBulkhead> written = WrittenBulkhead.among(annotations.annotations(target.asDeclaration()));
        if (!written.isEmpty()) {
            AnnotatedElement element = new AnnotatedElement(target.asDeclaration(), written);
            found.putIfAbsent(element.key(), element);
        }
    }
}
