package io.quarkiverse.redisbulkhead.deployment.discovery;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.MethodInfo;

/** Finds the way from the bean that is generated for an interface, a REST client or an AI service, back to that interface. */
final class InterfaceBeans {

    private static final String REST_CLIENT_SUFFIX = "$$CDIWrapper";
    private static final String AI_SERVICE_SUFFIX = "$$QuarkusImpl";

    private final IndexView index;

    InterfaceBeans(IndexView index) {
        this.index = index;
    }

    /** The interface behind a bean class, if that class was generated for one. */
    Optional<ClassInfo> interfaceOf(ClassInfo bean) {
        return Stream.of(REST_CLIENT_SUFFIX, AI_SERVICE_SUFFIX).flatMap(suffix -> interfaceOf(bean, suffix).stream())
                .findFirst();
    }

    private Optional<ClassInfo> interfaceOf(ClassInfo bean, String suffix) {
        String name = bean.name().toString();
        if (!name.endsWith(suffix)) {
            return Optional.empty();
        }
        DotName implemented = DotName.createSimple(name.substring(0, name.length() - suffix.length()));
        return bean.interfaceNames().contains(implemented) ? Optional.ofNullable(index.getClassByName(implemented))
                : Optional.empty();
    }

    /** The method of the interface or of its super-interfaces that a method of the bean stands for. */
    Optional<MethodInfo> declared(ClassInfo type, MethodInfo method) {
        List<String> parameters = ErasedTypes.parametersOf(method);
        Optional<MethodInfo> own = type.methods().stream()
                .filter(each -> each.name().equals(method.name()) && ErasedTypes.parametersOf(each).equals(parameters))
                .findFirst();
        return own.or(() -> type.interfaceNames().stream()
                .map(index::getClassByName)
                .filter(superInterface -> superInterface != null)
                .flatMap(superInterface -> declared(superInterface, method).stream())
                .findFirst());
    }
}
