package io.quarkiverse.redisbulkhead.deployment.discovery;

import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Objects;

import org.jboss.jandex.AnnotationTarget.Kind;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.ClassInfo.NestingType;
import org.jboss.jandex.Declaration;
import org.jboss.jandex.MethodInfo;

/** What the forms of classes and methods say about whether they can be beans, and be guarded. */
public final class Shapes {

    private Shapes() {
    }

    static boolean canBeBean(ClassInfo type) {
        return !type.isInterface() && !type.isAbstract() && !type.isEnum() && isTopLevelOrStatic(type);
    }

    /**
     * Whether the class needs no instance of another one around it.
     *
     * @param type the class
     * @return false for inner, local and anonymous classes
     */
    public static boolean isTopLevelOrStatic(ClassInfo type) {
        return type.nestingType() == NestingType.TOP_LEVEL
                || type.nestingType() == NestingType.INNER && Modifier.isStatic(type.flags());
    }

    /**
     * Whether the container can intercept a class or method.
     *
     * @param declaration the class or method
     * @return false where it would fail, and where nothing can be a bean
     */
    public static boolean canBeIntercepted(Declaration declaration) {
        if (declaration.kind() == Kind.CLASS) {
            return !declaration.asClass().isInterface() && isTopLevelOrStatic(declaration.asClass());
        }
        MethodInfo method = declaration.asMethod();
        return canBeOverridden(method) && !Modifier.isAbstract(method.flags()) && isTopLevelOrStatic(method.declaringClass());
    }

    /**
     * Whether a subclass can override the method, which is how the container intercepts it.
     *
     * @param method the method
     * @return true unless it is static, private or final
     */
    public static boolean canBeOverridden(MethodInfo method) {
        return (method.flags() & (Modifier.STATIC | Modifier.PRIVATE | Modifier.FINAL)) == 0;
    }

    /**
     * Whether a method of a subclass stands in place of an inherited one, as far as both of them show it. Bridges count: they
     * are how a subclass overrides a generic method.
     *
     * @param method the method of the subclass
     * @param inherited the method of a superclass or interface
     * @return false when another package cannot see the inherited one, although it has the same signature
     */
    public static boolean overrides(MethodInfo method, MethodInfo inherited) {
        return method.name().equals(inherited.name())
                && erasedParameters(method).equals(erasedParameters(inherited))
                && canBeOverridden(inherited)
                && ((inherited.flags() & (Modifier.PUBLIC | Modifier.PROTECTED)) != 0 || Objects.equals(
                        method.declaringClass().name().packagePrefix(), inherited.declaringClass().name().packagePrefix()));
    }

    /**
     * The types of the parameters of a method, without generics.
     *
     * @param method the method
     * @return their names, in order, as {@link Class#getName()} writes them
     */
    public static List<String> erasedParameters(MethodInfo method) {
        return method.parameterTypes().stream().map(type -> type.name().toString()).toList();
    }
}
