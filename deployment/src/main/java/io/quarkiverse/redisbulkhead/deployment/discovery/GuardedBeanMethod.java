package io.quarkiverse.redisbulkhead.deployment.discovery;

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
public record GuardedBeanMethod(ClassInfo bean, ClassInfo owner, MethodInfo method, Type returns,
        AnnotatedElement source) {

    /**
     * The bulkheads that limit the method.
     *
     * @return what its source says; none for the bare binding
     */
    public List<WrittenBulkhead> bulkheads() {
        return source == null ? List.of() : source.bulkheads();
    }

    /**
     * Whether an annotation on a class guards the method.
     *
     * @return false when the method has its own, or the bare binding
     */
    public boolean comesFromClass() {
        return source != null && !source.isMethod();
    }

    /**
     * How people see the method.
     *
     * @return its class and name, both short
     */
    public String label() {
        return owner.simpleName() + "#" + method.name();
    }

    /**
     * How errors name it: where it is declared, for a REST client the interface.
     *
     * @return the class and method
     */
    public String place() {
        return owner == bean ? Places.of(method) : Places.of(owner) + "#" + method.name();
    }
}
