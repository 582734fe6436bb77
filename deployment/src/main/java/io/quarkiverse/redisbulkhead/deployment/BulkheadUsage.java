package io.quarkiverse.redisbulkhead.deployment;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import org.jboss.jandex.AnnotationOverlay;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.EquivalenceKey;
import org.jboss.jandex.IndexView;

import io.quarkus.arc.processor.BeanDeploymentValidator.ValidationContext;
import io.quarkus.arc.processor.BuildExtension.Key;

/**
 * How the application uses the annotation: everything that the rules look at.
 *
 * @param elements the classes and methods that carry it, without those that were taken out of the application on purpose, and
 *        without those that every bean replaces
 * @param guards the methods that the container binds to the interceptor
 * @param beans the beans, used or not
 * @param disabled the classes that are no beans on purpose
 * @param annotations the annotations after all transformations
 * @param index the classes, loaded on demand
 */
record BulkheadUsage(List<AnnotatedElement> elements, List<Guard> guards, BeanClasses beans, DisabledClasses disabled,
        AnnotationOverlay annotations, IndexView index) {

    /**
     * Looks the application over.
     *
     * @param context the container's findings
     * @param beanArchives the classes of the bean archives, loaded on demand
     * @param generatedClasses the names of generated bean classes
     * @param application all indexed classes of the application
     */
    static BulkheadUsage of(ValidationContext context, IndexView beanArchives, Set<DotName> generatedClasses,
            IndexView application) {
        AnnotationOverlay annotations = context.get(Key.ANNOTATION_STORE).overlay();
        BeanClasses beans = new BeanClasses(context, beanArchives);
        DisabledClasses disabled = new DisabledClasses(context, application, annotations);
        List<Guard> guards = new GuardDiscovery(beanArchives, annotations, new RestClients(generatedClasses, beanArchives))
                .guardsOf(beans);
        Set<EquivalenceKey> sources = sourcesOf(guards);
        Replacement replacement = new Replacement(beans, annotations, beanArchives);
        List<AnnotatedElement> elements = new AnnotatedElements(annotations, generatedClasses)
                .addFrom(application)
                .addFrom(beanArchives)
                .addSourcesOf(guards)
                .all().stream()
                .filter(element -> sources.contains(element.key())
                        || !replacement.isComplete(element) && !isDisabled(element.type(), beans, disabled, application))
                .toList();
        return new BulkheadUsage(elements, guards, beans, disabled, annotations, beanArchives);
    }

    private static boolean isDisabled(ClassInfo type, BeanClasses beans, DisabledClasses disabled, IndexView application) {
        return beans.inheriting(type).isEmpty() && (disabled.contains(type)
                || application.getAllKnownSubclasses(type.name()).stream().anyMatch(disabled::contains));
    }

    private static Set<EquivalenceKey> sourcesOf(List<Guard> guards) {
        return guards.stream()
                .map(Guard::source)
                .filter(source -> source != null)
                .map(AnnotatedElement::key)
                .collect(Collectors.toSet());
    }

    /** The classes and methods whose annotation guards nothing. */
    List<AnnotatedElement> idle() {
        Set<EquivalenceKey> sources = sourcesOf(guards);
        return elements.stream().filter(element -> !sources.contains(element.key())).toList();
    }
}
