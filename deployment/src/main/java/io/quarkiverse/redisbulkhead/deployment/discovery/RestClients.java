package io.quarkiverse.redisbulkhead.deployment.discovery;

import java.util.Optional;
import java.util.Set;

import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.MethodInfo;

/**
 * Finds the way from the bean that Quarkus generates for a REST client back to the interface that the user wrote.
 * Quarkus copies the interface's annotations and those of its methods onto that bean.
 */
final class RestClients {

    private static final String WRAPPER_SUFFIX = "$$CDIWrapper";

    private final Set<DotName> generatedClasses;
    private final IndexView index;

    RestClients(Set<DotName> generatedClasses, IndexView index) {
        this.generatedClasses = generatedClasses;
        this.index = index;
    }

    /** The interface behind a bean class, if that class is the bean of a REST client. */
    Optional<ClassInfo> interfaceOf(ClassInfo bean) {
        String name = bean.name().toString();
        if (!name.endsWith(WRAPPER_SUFFIX) || !generatedClasses.contains(bean.name())) {
            return Optional.empty();
        }
        return Optional.ofNullable(index.getClassByName(name.substring(0, name.length() - WRAPPER_SUFFIX.length())));
    }

    /** The method of the interface or of its super-interfaces that a method of the bean stands for. */
    Optional<MethodInfo> declared(ClassInfo type, MethodInfo method) {
        MethodInfo own = type.method(method.name(), method.parameterTypes());
        if (own != null) {
            return Optional.of(own);
        }
        return type.interfaceNames().stream()
                .map(index::getClassByName)
                .filter(superInterface -> superInterface != null)
                .flatMap(superInterface -> declared(superInterface, method).stream())
                .findFirst();
    }
}
