package io.quarkiverse.redisbulkhead.deployment;

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
import org.jboss.jandex.IndexView;
import org.jboss.jandex.MethodInfo;

import io.quarkus.arc.processor.BeanInfo;

/** Finds the guarded methods: those that the container has bound to the interceptor, and where their bulkheads are written. */
final class GuardDiscovery {

    private static final Comparator<Guard> ORDER = Comparator.<Guard, String> comparing(guard -> guard.bean().name().toString())
            .thenComparing(guard -> guard.method().toString());

    private final IndexView index;
    private final AnnotationOverlay annotations;
    private final RestClients restClients;
    private final ReturnTypes returnTypes;

    GuardDiscovery(IndexView index, AnnotationOverlay annotations, RestClients restClients) {
        this.index = index;
        this.annotations = annotations;
        this.restClients = restClients;
        this.returnTypes = new ReturnTypes(index);
    }

    List<Guard> guardsOf(BeanClasses beans) {
        List<Guard> guards = new ArrayList<>();
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

    private Guard guard(ClassInfo bean, MethodInfo method) {
        ClassInfo owner = restClients.interfaceOf(bean).orElse(bean);
        AnnotatedElement source = (owner == bean ? onMethod(method) : onInterfaceMethod(owner, method))
                .or(() -> onClass(owner))
                .orElse(null);
        return new Guard(bean, owner, method, returnTypes.resolved(bean, method), source);
    }

    // The container gives methods that a bean inherits from an interface the bindings of the bean's class only.
    private Optional<AnnotatedElement> onMethod(MethodInfo method) {
        return method.declaringClass().isInterface() ? Optional.empty() : on(method);
    }

    private Optional<AnnotatedElement> onInterfaceMethod(ClassInfo owner, MethodInfo method) {
        return restClients.declared(owner, method).flatMap(this::on);
    }

    private Optional<AnnotatedElement> onClass(ClassInfo type) {
        for (ClassInfo each = type; each != null; each = superclass(each)) {
            Optional<AnnotatedElement> found = on(each);
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }

    private ClassInfo superclass(ClassInfo type) {
        return type.superName() == null ? null : index.getClassByName(type.superName());
    }

    private Optional<AnnotatedElement> on(Declaration declaration) {
        List<WrittenBulkhead> written = WrittenBulkhead.among(annotations.annotations(declaration));
        return written.isEmpty() ? Optional.empty() : Optional.of(new AnnotatedElement(declaration, written));
    }
}
