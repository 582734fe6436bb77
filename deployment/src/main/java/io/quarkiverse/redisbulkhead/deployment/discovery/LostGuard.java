package io.quarkiverse.redisbulkhead.deployment.discovery;

import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
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
     * Checks all beans except the mocks of tests.
     *
     * @param usage how the application uses the annotation
     * @return each method once
     */
    public static List<LostGuard> in(BulkheadUsage usage) {
        InterfaceBeans interfaceBeans = new InterfaceBeans(usage.classes());
        return usage.beans().all().stream().filter(bean -> !isMock(bean))
                .flatMap(bean -> interfaceBeans.interfaceOf(bean.getImplClazz())
                        .map(type -> ofInterfaces(interfaceBeans.withSuperInterfaces(type).toList(), usage))
                        .orElseGet(() -> ofClasses(usage.superclasses().from(bean.getImplClazz()).toList(), usage)))
                .distinct().toList();
    }

    private static boolean isMock(BeanInfo bean) {
        return bean.getStereotypes().stream().anyMatch(stereotype -> MOCK.equals(stereotype.getName()));
    }

    // Annotations of classes are inherited.
    private static Stream<LostGuard> ofClasses(List<ClassInfo> classes, BulkheadUsage usage) {
        return classes.stream().anyMatch(type -> isGuarded(type, usage)) ? Stream.empty() : of(classes, usage);
    }

    private static Stream<LostGuard> ofInterfaces(List<ClassInfo> interfaces, BulkheadUsage usage) {
        return isGuarded(interfaces.get(0), usage) ? Stream.empty() : of(interfaces, usage);
    }

    /** Ordered: the class of the bean, or the interface that it was generated for, is first. */
    private static Stream<LostGuard> of(List<ClassInfo> classes, BulkheadUsage usage) {
        List<LostGuard> lost = new ArrayList<>();
        for (int i = 1; i < classes.size(); i++) {
            for (MethodInfo method : classes.get(i).methods()) {
                if (!method.isSynthetic() && Shapes.canBeOverridden(method) && !bulkheads(method, usage).isEmpty()) {
                    of(method, classes.subList(0, i), usage).ifPresent(lost::add);
                }
            }
        }
        return lost.stream();
    }

    private static Optional<LostGuard> of(MethodInfo method, List<ClassInfo> subclasses, BulkheadUsage usage) {
        List<Version> versions = versions(method, subclasses, usage);
        Version last = versions.get(0);
        if (!last.bulkheads().isEmpty() || last.unguarded()) {
            return Optional.empty();
        }
        return versions.stream().filter(version -> !version.bulkheads().isEmpty() || version.unguarded()).findFirst()
                .filter(version -> !version.unguarded())
                .map(guarded -> new LostGuard(SourceLocations.of(last.method()), SourceLocations.of(guarded.method()),
                        guarded.bulkheads()));
    }

    /**
     * The method and what overrides it, the class of the bean first. A class of another package overrides a package-private
     * method only by way of one that is more visible.
     */
    private static List<Version> versions(MethodInfo method, List<ClassInfo> subclasses, BulkheadUsage usage) {
        Deque<MethodInfo> overriding = new ArrayDeque<>(List.of(method));
        for (int i = subclasses.size() - 1; i >= 0; i--) {
            subclasses.get(i).methods().stream()
                    .filter(other -> overriding.stream().anyMatch(inherited -> Shapes.overrides(other, inherited)))
                    .findFirst()
                    .ifPresent(overriding::addFirst);
        }
        return overriding.stream().map(each -> new Version(each, bulkheads(each, usage),
                usage.annotations().hasAnnotation(each, Names.UNGUARDED))).toList();
    }

    // An annotation on a method that is not intercepted guards nothing, which is another error. The compiler copies
    // annotations to bridges.
    private static List<WrittenBulkhead> bulkheads(MethodInfo method, BulkheadUsage usage) {
        boolean intercepted = method.declaringClass().isInterface() == Modifier.isAbstract(method.flags());
        return intercepted || method.isSynthetic() ? WrittenBulkhead.among(usage.annotations().annotations(method)) : List.of();
    }

    private static boolean isGuarded(ClassInfo type, BulkheadUsage usage) {
        return !WrittenBulkhead.among(usage.annotations().annotations(type)).isEmpty();
    }
}
