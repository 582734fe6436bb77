package io.quarkiverse.redisbulkhead.deployment.discovery;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.jboss.jandex.AnnotationOverlay;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.MethodInfo;

import io.quarkus.arc.processor.BeanDeploymentValidator.ValidationContext;
import io.quarkus.arc.processor.BuildExtension.Key;
import io.quarkus.arc.processor.ScopeInfo;

/**
 * Distinguishes classes that by mistake are not beans from those that were excluded on purpose: vetoed, disabled by a
 * build-time condition (which vetoes too), or excluded by type.
 */
public final class DisabledClasses {

    private final IndexView index;
    private final AnnotationOverlay annotations;
    private final Set<DotName> beanDefiningAnnotations = new HashSet<>();

    DisabledClasses(ValidationContext context, IndexView index, AnnotationOverlay annotations) {
        this.index = index;
        this.annotations = annotations;
        Collection<ScopeInfo> scopes = context.get(Key.SCOPES);
        scopes.forEach(scope -> beanDefiningAnnotations.add(scope.getDotName()));
        beanDefiningAnnotations.addAll(context.get(Key.STEREOTYPES).keySet());
    }

    /**
     * Whether a class was deliberately excluded from the beans.
     *
     * @param type the class
     * @return false when it is not a bean by mistake
     */
    public boolean contains(ClassInfo type) {
        return isVetoed(type) || isExcluded(type);
    }

    private boolean isVetoed(ClassInfo type) {
        if (annotations.hasAnnotation(type, Names.VETOED)) {
            return true;
        }
        ClassInfo packageInfo = index.getClassByName(type.name().packagePrefix() + ".package-info");
        return packageInfo != null && annotations.hasAnnotation(packageInfo, Names.VETOED);
    }

    // The container does not expose excluded types; a class that meets all conditions of a bean can be missing for no other
    // reason.
    private boolean isExcluded(ClassInfo type) {
        return hasBeanDefiningAnnotation(type) && Shapes.canBeBean(type) && hasUsableConstructor(type);
    }

    /**
     * Whether the class has a scope or a stereotype.
     *
     * @param type the class
     * @return whether it says that it is a bean
     */
    public boolean hasBeanDefiningAnnotation(ClassInfo type) {
        return annotations.hasAnyAnnotation(type, beanDefiningAnnotations);
    }

    /**
     * Whether the container knows which constructor to call.
     *
     * @param type the class
     * @return false when there are several and none is marked
     */
    public boolean hasUsableConstructor(ClassInfo type) {
        List<MethodInfo> constructors = type.constructors();
        return type.hasNoArgsConstructor() || constructors.size() == 1
                || constructors.stream().anyMatch(constructor -> annotations.hasAnnotation(constructor, Names.INJECT));
    }
}
