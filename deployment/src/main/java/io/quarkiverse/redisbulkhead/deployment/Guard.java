package io.quarkiverse.redisbulkhead.deployment;

import java.util.List;

import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.MethodInfo;
import org.jboss.jandex.Type;

/**
 * A method of a bean that the interceptor is bound to.
 *
 * @param bean the class of the bean, for a REST client the class that Quarkus generated
 * @param owner the user's class: that of the bean, for a REST client the interface
 * @param method the method as the container sees it
 * @param returns what it returns, with the type variables of the bean's superclasses resolved where possible
 * @param source where its bulkheads are written, or null when the method carries the bare binding
 */
record Guard(ClassInfo bean, ClassInfo owner, MethodInfo method, Type returns, AnnotatedElement source) {

    List<WrittenBulkhead> bulkheads() {
        return source == null ? List.of() : source.bulkheads();
    }

    boolean comesFromClass() {
        return source != null && !source.isMethod();
    }

    /** How people see the method. */
    String label() {
        return owner.simpleName() + "#" + method.name();
    }

    /** How errors name it: where it is declared, for a REST client the interface. */
    String place() {
        return owner == bean ? Places.of(method) : Places.of(owner) + "#" + method.name();
    }
}
