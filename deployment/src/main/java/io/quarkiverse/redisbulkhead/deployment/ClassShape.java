package io.quarkiverse.redisbulkhead.deployment;

import java.lang.reflect.Modifier;

import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.ClassInfo.NestingType;

/** What the form of a class says about whether it can be a bean. */
final class ClassShape {

    private ClassShape() {
    }

    static boolean canBeBean(ClassInfo type) {
        return !type.isInterface() && !type.isAbstract() && !type.isEnum() && isTopLevelOrStatic(type);
    }

    static boolean isTopLevelOrStatic(ClassInfo type) {
        return type.nestingType() == NestingType.TOP_LEVEL
                || type.nestingType() == NestingType.INNER && Modifier.isStatic(type.flags());
    }
}
