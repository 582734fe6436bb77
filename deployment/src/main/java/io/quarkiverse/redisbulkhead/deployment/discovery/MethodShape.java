package io.quarkiverse.redisbulkhead.deployment.discovery;

import java.lang.reflect.Modifier;

import org.jboss.jandex.MethodInfo;

/** What the form of a method says about whether it can be guarded. */
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
}
