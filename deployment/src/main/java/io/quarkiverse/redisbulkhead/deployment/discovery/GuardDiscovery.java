package io.quarkiverse.redisbulkhead.deployment.discovery;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.AnnotationOverlay;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.Declaration;
import org.jboss.jandex.MethodInfo;

import io.quarkus.arc.processor.BeanInfo;

/** Finds the guarded methods: those that the container has bound to the interceptor, and where their bulkheads are written. */
final class GuardDiscovery {

    private static final Comparator<GuardedBeanMethod> ORDER = Comparator
            .<GuardedBeanMethod, String> comparing(guard -> guard.bean().name().toString())
            .thenComparing(guard -> guard.method().toString());

    private final AnnotationOverlay annotations;
    private final Superclasses superclasses;
    private final InterfaceBeans interfaceBeans;
    private final BoundTypes boundTypes;
    private final KeyParameters keyParameters;
    private final KeyParameters weightParameters;

    GuardDiscovery(AnnotationOverlay annotations, Superclasses superclasses, InterfaceBeans interfaceBeans,
            BoundTypes boundTypes, KeyParameters keyParameters, KeyParameters weightParameters) {
        this.annotations = annotations;
        this.superclasses = superclasses;
        this.interfaceBeans = interfaceBeans;
        this.boundTypes = boundTypes;
        this.keyParameters = keyParameters;
        this.weightParameters = weightParameters;
    }

    List<GuardedBeanMethod> guardsOf(BeanClasses beans) {
        List<GuardedBeanMethod> guards = new ArrayList<>();
        for (BeanInfo bean : beans.all()) {
            for (Map.Entry<MethodInfo, Set<AnnotationInstance>> method : bean.getInterceptedMethodsBindings().entrySet()) {
                if (method.getValue().stream().anyMatch(binding -> Names.BINDING.equals(binding.name()))) {
                    guards.add(guard(bean.getImplClazz(), method.getKey()));
                }
            }
        }
        guards.sort(ORDER);
        return List.copyOf(guards);
    }

    private GuardedBeanMethod guard(ClassInfo bean, MethodInfo method) {
        ClassInfo owner = interfaceBeans.interfaceOf(bean).orElse(bean);
        MethodInfo declared = owner == bean ? method : interfaceBeans.declared(owner, method).orElse(method);
        AnnotatedElement source = (owner == bean ? onMethod(method) : on(declared))
                .or(() -> onClass(owner))
                .orElse(null);
        return new GuardedBeanMethod(bean, owner, method, boundTypes.resolved(bean, method, method.returnType()), source,
                keyParameters.of(declared, type -> boundTypes.resolved(owner, declared, type)),
                weightParameters.of(declared, type -> boundTypes.resolved(owner, declared, type)));
    }

    // The container gives methods that a bean inherits from an interface the bindings of the bean's class only.
    private Optional<AnnotatedElement> onMethod(MethodInfo method) {
        return method.declaringClass().isInterface() ? Optional.empty() : on(method);
    }

    private Optional<AnnotatedElement> onClass(ClassInfo type) {
        return superclasses.from(type).flatMap(each -> on(each).stream()).findFirst();
    }

    private Optional<AnnotatedElement> on(Declaration declaration) {
        List<WrittenBulkhead> written = WrittenBulkhead.among(annotations.annotations(declaration));
        return written.isEmpty() ? Optional.empty() : Optional.of(new AnnotatedElement(declaration, written));
    }
}
