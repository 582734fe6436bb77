package io.quarkiverse.redisbulkhead.deployment.discovery;

import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.MethodInfo;

import io.quarkus.arc.processor.BeanInfo;

/**
 * A method of a bean that overrides a guarded one, but is not guarded, and does not say so. Annotations of methods are not
 * inherited.
 *
 * @param method how errors name the method
 * @param overridden how errors name the guarded method
 * @param bulkheads those of the guarded method
 */
public record LostGuard(String method, String overridden, List<WrittenBulkhead> bulkheads) {

    private static final DotName MOCK = DotName.createSimple("io.quarkus.test.Mock");

    /** One of the methods with one signature in the classes of a bean. */
    private record Version(MethodInfo method, List<WrittenBulkhead> bulkheads, boolean unguarded) {
    }

    /**
     * Looks at all beans but the mocks of tests.
     *
     * @param usage how the application uses the annotation
     * @return each method once
     */
    public static List<LostGuard> in(BulkheadUsage usage) {
        return usage.beans().all().stream().filter(bean -> !isMock(bean))
                .flatMap(bean -> of(usage.superclasses().from(bean.getImplClazz()).toList(), usage)).distinct().toList();
    }

    private static boolean isMock(BeanInfo bean) {
        return bean.getStereotypes().stream().anyMatch(stereotype -> MOCK.equals(stereotype.getName()));
    }

    /** The class of the bean comes first. */
    private static Stream<LostGuard> of(List<ClassInfo> classes, BulkheadUsage usage) {
        List<LostGuard> lost = new ArrayList<>();
        if (isGuarded(classes, usage)) {
            return Stream.empty();
        }
        for (ClassInfo superclass : classes.subList(1, classes.size())) {
            for (MethodInfo method : superclass.methods()) {
                if (!method.isSynthetic() && MethodShape.canBeOverridden(method) && !bulkheads(method, usage).isEmpty()) {
                    of(method, classes, usage).ifPresent(lost::add);
                }
            }
        }
        return lost.stream();
    }

    private static Optional<LostGuard> of(MethodInfo method, List<ClassInfo> classes, BulkheadUsage usage) {
        List<Version> versions = versions(method, classes, usage);
        Version last = versions.get(0);
        if (!last.bulkheads().isEmpty() || last.unguarded()) {
            return Optional.empty();
        }
        return versions.stream().filter(version -> !version.bulkheads().isEmpty() || version.unguarded()).findFirst()
                .filter(version -> !version.unguarded())
                .map(guarded -> new LostGuard(SourceLocations.of(last.method()), SourceLocations.of(guarded.method()),
                        guarded.bulkheads()));
    }

    // Bridges count: they are how a subclass overrides a generic method. The compiler copies the annotations to them.
    private static List<Version> versions(MethodInfo method, List<ClassInfo> classes, BulkheadUsage usage) {
        List<String> parameters = ErasedTypes.parametersOf(method);
        List<Version> versions = new ArrayList<>();
        for (ClassInfo type : classes) {
            type.methods().stream()
                    .filter(other -> other.name().equals(method.name()) && ErasedTypes.parametersOf(other).equals(parameters))
                    .findFirst()
                    .ifPresent(other -> versions.add(new Version(other, bulkheads(other, usage),
                            usage.annotations().hasAnnotation(other, Names.UNGUARDED))));
        }
        return versions;
    }

    // An annotation on an abstract method guards nothing, which is another mistake.
    private static List<WrittenBulkhead> bulkheads(MethodInfo method, BulkheadUsage usage) {
        return Modifier.isAbstract(method.flags()) ? List.of()
                : WrittenBulkhead.among(usage.annotations().annotations(method));
    }

    // Annotations of classes are inherited.
    private static boolean isGuarded(List<ClassInfo> classes, BulkheadUsage usage) {
        return classes.stream().anyMatch(type -> !WrittenBulkhead.among(usage.annotations().annotations(type)).isEmpty());
    }
}
