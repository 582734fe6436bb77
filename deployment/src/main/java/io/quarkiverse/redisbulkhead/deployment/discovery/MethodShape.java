package io.quarkiverse.redisbulkhead.deployment.discovery;

import java.lang.reflect.Modifier;
import java.util.Objects;

import org.jboss.jandex.MethodInfo;

/** Whether a method can be guarded, by its form. */
public final class MethodShape {

    private MethodShape() {
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
    static boolean overrides(MethodInfo method, MethodInfo inherited) {
        return method.name().equals(inherited.name())
                && ErasedTypes.parametersOf(method).equals(ErasedTypes.parametersOf(inherited))
                && canBeOverridden(inherited)
                && ((inherited.flags() & (Modifier.PUBLIC | Modifier.PROTECTED)) != 0 || Objects.equals(
                        method.declaringClass().name().packagePrefix(), inherited.declaringClass().name().packagePrefix()));
    }
}
