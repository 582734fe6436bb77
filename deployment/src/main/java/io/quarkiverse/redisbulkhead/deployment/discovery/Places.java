package io.quarkiverse.redisbulkhead.deployment.discovery;

import java.util.stream.Collectors;

import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.MethodInfo;

/** How classes and methods are named in messages. */
public final class Places {

    private Places() {
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

    /** {@code Class#method}; with the parameters where the class has several methods of that name. */
    static String of(MethodInfo method) {
        ClassInfo type = method.declaringClass();
        String name = of(type) + "#" + method.name();
        boolean overloaded = type.methods().stream()
                .filter(other -> other.name().equals(method.name()) && !other.isSynthetic())
                .count() > 1;
        return overloaded ? name + parameters(method) : name;
    }

    private static String parameters(MethodInfo method) {
        return method.parameterTypes().stream()
                .map(type -> type.name().withoutPackagePrefix())
                .collect(Collectors.joining(", ", "(", ")"));
    }
}
