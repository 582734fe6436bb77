package io.quarkiverse.redisbulkhead.deployment.discovery;

import java.util.function.Function;
import java.util.stream.Collectors;

import org.jboss.jandex.AnnotationTarget;
import org.jboss.jandex.AnnotationTarget.Kind;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.MethodInfo;
import org.jboss.jandex.Type;

/** How classes and methods are named in messages. */
public final class SourceLocations {

    private SourceLocations() {
    }

    /**
     * How a class is named.
     *
     * @param type the class
     * @return its full name
     */
    public static String of(ClassInfo type) {
        return type.name().toString();
    }

    /** A method or a field. */
    static String of(AnnotationTarget member) {
        return member.kind() == Kind.METHOD ? of(member.asMethod())
                : of(member.asField().declaringClass()) + "#" + member.asField().name();
    }

    /**
     * How a method is named.
     *
     * @param method the method
     * @return {@code Class#method}; with the parameters where the class has several methods of that name
     */
    public static String of(MethodInfo method) {
        ClassInfo type = method.declaringClass();
        String name = of(type) + "#" + method.name();
        boolean overloaded = type.methods().stream()
                .filter(other -> other.name().equals(method.name()) && !other.isSynthetic())
                .count() > 1;
        return overloaded ? name + parameters(method) : name;
    }

    private static String parameters(MethodInfo method) {
        String parameters = parameters(method, DotName::withoutPackagePrefix);
        boolean same = method.declaringClass().methods().stream()
                .filter(other -> other.name().equals(method.name()) && !other.isSynthetic())
                .filter(other -> parameters(other, DotName::withoutPackagePrefix).equals(parameters))
                .count() > 1;
        return same ? parameters(method, DotName::toString) : parameters;
    }

    private static String parameters(MethodInfo method, Function<DotName, String> shown) {
        return method.parameterTypes().stream().map(Type::name).map(shown).collect(Collectors.joining(", ", "(", ")"));
    }
}
