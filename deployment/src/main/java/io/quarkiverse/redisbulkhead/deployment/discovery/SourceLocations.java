package io.quarkiverse.redisbulkhead.deployment.discovery;

import java.util.stream.Collectors;

import org.jboss.jandex.AnnotationTarget;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.MethodInfo;

/** How classes and their members are named in messages. */
public final class SourceLocations {

    private SourceLocations() {
    }

    /**
     * How a class, a method or a field is named.
     *
     * @param place the class or member
     * @return the full name of the class, or {@code Class#member}; with the types of its parameters where the class has
     *         several methods of that name
     */
    public static String of(AnnotationTarget place) {
        return switch (place.kind()) {
            case CLASS -> place.asClass().name().toString();
            case FIELD -> place.asField().declaringClass().name() + "#" + place.asField().name();
            default -> of(place.asMethod().declaringClass(), place.asMethod());
        };
    }

    /** How a method is named as one of a class, which need not declare it. */
    static String of(ClassInfo type, MethodInfo method) {
        boolean overloaded = method.declaringClass().methods().stream()
                .filter(other -> other.name().equals(method.name()) && !other.isSynthetic()).count() > 1;
        return type.name() + "#" + method.name() + (overloaded ? method.parameterTypes().stream()
                .map(parameter -> parameter.name().withoutPackagePrefix()).collect(Collectors.joining(", ", "(", ")")) : "");
    }
}
