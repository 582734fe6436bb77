package io.quarkiverse.redisbulkhead.deployment.discovery;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.MethodInfo;

/**
 * Finds the interface behind a generated bean.
 * <p>
 * The beans of REST clients and AI services are classes that Quarkus generates at build time. Their methods carry no bulkhead
 * annotations, and no line of the user's code: both are on the interface. The class name is that of the interface and a suffix
 * that belongs to the extension that generates it: an implementation detail, which the tests of both kinds of beans depend on.
 */
final class InterfaceBeans {

    private static final String REST_CLIENT_SUFFIX = "$$CDIWrapper";
    private static final String AI_SERVICE_SUFFIX = "$$QuarkusImpl";

    private final IndexView index;

    InterfaceBeans(IndexView index) {
        this.index = index;
    }

    /**
     * The interface for which a bean class was generated.
     *
     * @param bean a bean class, generated or not
     * @return empty for a class that has no such suffix or does not implement that interface, and where the interface is not
     *         indexed
     */
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

    /**
     * The method of the interface that a method of the bean implements, which carries the annotations.
     *
     * @param type the interface; its super-interfaces are searched, too
     * @param method compared by name and erased parameter types, as the generated class has no generics
     * @return empty for methods that only the generated class has
     */
    Optional<MethodInfo> declared(ClassInfo type, MethodInfo method) {
        List<String> parameters = Shapes.erasedParameters(method);
        return withSuperInterfaces(type)
                .flatMap(each -> each.methods().stream())
                .filter(each -> each.name().equals(method.name()) && Shapes.erasedParameters(each).equals(parameters))
                .findFirst();
    }

    /** The interface and its super-interfaces, in the order in which they are searched for a method. */
    Stream<ClassInfo> withSuperInterfaces(ClassInfo type) {
        return Stream.concat(Stream.of(type), type.interfaceNames().stream()
                .map(index::getClassByName)
                .filter(Objects::nonNull)
                .flatMap(this::withSuperInterfaces));
    }
}
