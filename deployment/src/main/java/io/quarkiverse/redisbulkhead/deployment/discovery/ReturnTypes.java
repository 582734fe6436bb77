package io.quarkiverse.redisbulkhead.deployment.discovery;

import java.util.List;

import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.MethodInfo;
import org.jboss.jandex.Type;
import org.jboss.jandex.TypeVariable;

import io.quarkus.deployment.util.JandexUtil;

/** Tells what a method really returns when its class leaves that to a type variable that a subclass fills in. */
final class ReturnTypes {

    private final IndexView index;

    ReturnTypes(IndexView index) {
        this.index = index;
    }

    Type resolved(ClassInfo bean, MethodInfo method) {
        Type returns = method.returnType();
        if (returns.kind() != Type.Kind.TYPE_VARIABLE) {
            return returns;
        }
        List<TypeVariable> variables = method.declaringClass().typeParameters();
        for (int i = 0; i < variables.size(); i++) {
            if (variables.get(i).identifier().equals(returns.asTypeVariable().identifier())) {
                return argument(bean, method.declaringClass(), i, returns);
            }
        }
        return returns;
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
