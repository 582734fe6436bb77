package io.quarkiverse.redisbulkhead.deployment.discovery;

import java.util.List;
import java.util.Optional;

import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.MethodInfo;
import org.jboss.jandex.Type;

import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.BulkheadDeclaration;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.BulkheadUse;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.KeyOrigin;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.MethodDeclaration;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.ReturnKind;
import io.quarkus.arc.processor.BeanInfo;

/**
 * A method of a bean that the interceptor is bound to.
 *
 * @param bean the class of the bean, for a REST client or an AI service the generated class
 * @param owner the user's class: that of the bean, for a REST client or an AI service the interface
 * @param method the method as the container sees it
 * @param result what it returns as the source has it, with type variables of superclasses resolved where possible
 * @param returnKind how the end of an execution is observed; empty where it cannot be
 * @param source where its bulkheads are written, or null when the method carries the bare binding
 * @param parameters its parameters that are keys or weights, in their order
 */
public record GuardedBeanMethod(ClassInfo bean, ClassInfo owner, MethodInfo method, Type result,
        Optional<ReturnKind> returnKind, AnnotatedElement source, List<AnnotatedParameter> parameters) {

    /**
     * The parameters that are keys.
     *
     * @return in their order
     */
    public List<AnnotatedParameter> keys() {
        return parameters.stream().filter(AnnotatedParameter::isKey).toList();
    }

    /**
     * The parameters that are weights, of which there should be no more than one.
     *
     * @return in their order
     */
    public List<AnnotatedParameter> weights() {
        return parameters.stream().filter(parameter -> !parameter.isKey()).toList();
    }

    /**
     * The bulkheads that limit the method.
     *
     * @return what its source says; none for the bare binding
     */
    public List<BulkheadDeclaration> bulkheads() {
        return source == null ? List.of() : source.bulkheads();
    }

    /**
     * The parameters that are the key of a bulkhead, of which there should be no more than one.
     *
     * @param bulkhead one of the bulkheads of this method
     * @return those that name it, and where it is the only one, those that name none
     */
    public List<AnnotatedParameter> keysOf(BulkheadDeclaration bulkhead) {
        return keys().stream().filter(key -> isFor(key, bulkhead)).toList();
    }

    /**
     * Whether a parameter is for a bulkhead.
     *
     * @param parameter one of the keys or weights
     * @param bulkhead one of the bulkheads of this method
     * @return true where the parameter names it, or names none and it is the only one
     */
    public boolean isFor(AnnotatedParameter parameter, BulkheadDeclaration bulkhead) {
        return parameter.namesBulkhead() ? parameter.bulkhead().equals(bulkhead.name()) : bulkheads().size() == 1;
    }

    /**
     * The key parameters that name no bulkhead of this method, or name none although it has several.
     *
     * @return empty when every key belongs to a bulkhead
     */
    public List<AnnotatedParameter> strayKeys() {
        return keys().stream()
                .filter(key -> bulkheads().stream().noneMatch(bulkhead -> keysOf(bulkhead).contains(key)))
                .toList();
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
     * Whether the method overrides one with a key, probably by mistake: a class says how it is limited, and each of its
     * bulkheads is one limit for all calls.
     *
     * @param parameter a key or weight of another method
     * @param classes knows the superclasses of the bean
     * @return false when the method has an annotation of its own, or a key, and for a weight
     */
    public boolean losesKeyOf(AnnotatedParameter parameter, Classes classes) {
        MethodInfo inherited = parameter.method();
        DotName declaring = inherited.declaringClass().name();
        return parameter.isKey() && comesFromClass() && keys().isEmpty()
                && bulkheads().stream().noneMatch(bulkhead -> bulkhead.keyResolver().isPresent())
                && !method.declaringClass().name().equals(declaring) && Classes.overrides(method, inherited)
                && classes.superclasses(method.declaringClass()).anyMatch(type -> type.name().equals(declaring));
    }

    /**
     * The display name of the method.
     *
     * @return its class and name, both short
     */
    public String label() {
        return owner.simpleName() + "#" + method.name();
    }

    /**
     * How errors name it: where it is declared, for a REST client or an AI service the interface.
     *
     * @return the class and method
     */
    public String place() {
        return SourceLocations.of(owner == bean ? method.declaringClass() : owner, method);
    }

    /** What is recorded for the application; what a mistake leaves open is null. */
    MethodDeclaration declaration(BeanClasses beans, boolean keyInDoubt) {
        return new MethodDeclaration(bean.name().toString(), method.name(), Classes.erasedParameters(method),
                returnKind.orElse(null), !returnsNothing(), label(), place(), bulkheads().stream()
                        .map(bulkhead -> new BulkheadUse(bulkhead,
                                keyOf(bulkhead, beans).orElse(keyInDoubt ? null : new KeyOrigin.None()),
                                weights().stream().filter(weight -> isFor(weight, bulkhead)).findFirst()
                                        .map(AnnotatedParameter::index)
                                        .orElse(BulkheadUse.NO_PARAMETER)))
                        .toList());
    }

    private boolean returnsNothing() {
        return result.kind() == Type.Kind.VOID || result.kind() == Type.Kind.PARAMETERIZED_TYPE
                && ReturnKinds.endsOnce(result)
                && DotName.VOID_CLASS_NAME.equals(result.asParameterizedType().arguments().get(0).name());
    }

    private Optional<KeyOrigin> keyOf(BulkheadDeclaration bulkhead, BeanClasses beans) {
        Optional<KeyOrigin> parameter = keysOf(bulkhead).stream().findFirst()
                .map(key -> new KeyOrigin.Parameter(key.index(), key.name()));
        return parameter.or(() -> bulkhead.keyResolver().map(type -> new KeyOrigin.Resolver(
                beans.keyResolver(type).map(BeanInfo::getIdentifier).orElse(null), type)));
    }
}
