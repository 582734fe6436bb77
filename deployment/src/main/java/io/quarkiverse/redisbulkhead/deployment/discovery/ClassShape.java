package io.quarkiverse.redisbulkhead.deployment.discovery;

import java.lang.reflect.Modifier;

import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.ClassInfo.NestingType;

/** Whether a class can be a bean, by its form. */
public final class ClassShape {

    private ClassShape() {
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
}
