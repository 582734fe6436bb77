package io.quarkiverse.redisbulkhead.deployment.discovery;

import java.util.List;

import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.MethodInfo;
import org.jboss.jandex.Type;
import org.jboss.jandex.TypeVariable;

import io.quarkus.deployment.util.JandexUtil;

/** Resolves type variables of a class with the types that a subclass gives them. */
final class BoundTypes {

    private final IndexView index;

    BoundTypes(IndexView index) {
        this.index = index;
    }

    /**
     * Resolves a type variable.
     *
     * @param bean the class that the method is called on, or the interface
     * @param method the method, whose class may be a supertype of that
     * @param type the type of the method's return or of a parameter
     */
    Type resolved(ClassInfo bean, MethodInfo method, Type type) {
        if (type.kind() != Type.Kind.TYPE_VARIABLE || isOwn(method, type.asTypeVariable())) {
            return type;
        }
        List<TypeVariable> variables = method.declaringClass().typeParameters();
        for (int i = 0; i < variables.size(); i++) {
            if (variables.get(i).identifier().equals(type.asTypeVariable().identifier())) {
                return argument(bean, method.declaringClass(), i, type);
            }
        }
        return type;
    }

    private static boolean isOwn(MethodInfo method, TypeVariable variable) {
        return method.typeParameters().stream().anyMatch(own -> own.identifier().equals(variable.identifier()));
    }

    private Type argument(ClassInfo bean, ClassInfo declaring, int position, Type unresolved) {
        List<Type> arguments;
        try {
            arguments = JandexUtil.resolveTypeParameters(bean.name(), declaring.name(), index);
        } catch (IllegalArgumentException e) {
            return unresolved;
        }
        return position < arguments.size() ? arguments.get(position) : unresolved;
    }
}
