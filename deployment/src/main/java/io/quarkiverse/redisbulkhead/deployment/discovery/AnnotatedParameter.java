package io.quarkiverse.redisbulkhead.deployment.discovery;

import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.EquivalenceKey;
import org.jboss.jandex.MethodInfo;
import org.jboss.jandex.MethodParameterInfo;
import org.jboss.jandex.Type;

import io.quarkiverse.redisbulkhead.runtime.message.Texts;

/**
 * A parameter that carries {@link io.quarkiverse.redisbulkhead.BulkheadKey}, or
 * {@link io.quarkiverse.redisbulkhead.BulkheadWeight}.
 *
 * @param annotation one of the two, on the parameter of the method that the user wrote
 * @param type its type, with the type variables of the bean's superclasses resolved where possible
 */
public record AnnotatedParameter(AnnotationInstance annotation, Type type) {

    private MethodParameterInfo parameter() {
        return annotation.target().asMethodParameter();
    }

    /**
     * Whether the parameter is a key.
     *
     * @return false for a weight
     */
    public boolean isKey() {
        return Names.BULKHEAD_KEY.equals(annotation.name());
    }

    /**
     * The method of the parameter, as the user wrote it.
     *
     * @return for a REST client or an AI service the method of the interface
     */
    public MethodInfo method() {
        return parameter().method();
    }

    /**
     * The position among the parameters.
     *
     * @return from 0
     */
    public int index() {
        return parameter().position();
    }

    /**
     * The name of the parameter.
     *
     * @return {@code arg} and the position when the compiler kept no name
     */
    public String name() {
        return parameter().nameOrDefault();
    }

    /**
     * The bulkhead that the annotation names.
     *
     * @return empty when that is left to the method
     */
    public String bulkhead() {
        return annotation.value() == null ? "" : annotation.value().asString();
    }

    /**
     * Whether the annotation says which bulkhead it is for.
     *
     * @return false when that is left to the method
     */
    public boolean namesBulkhead() {
        return !bulkhead().isEmpty();
    }

    /**
     * How errors name the method.
     *
     * @return where it is declared
     */
    public String place() {
        return SourceLocations.of(method());
    }

    /**
     * How errors name the parameter.
     *
     * @return with its name
     */
    public String text() {
        return "parameter '" + name() + "'";
    }

    /**
     * How errors name the annotation.
     *
     * @return as it is written, and on which parameter
     */
    public String annotationText() {
        return "@" + annotation.name().withoutPackagePrefix()
                + (namesBulkhead() ? "(" + Texts.quoted(bulkhead()) + ")" : "") + " on " + text();
    }

    /** Equal for the same parameter, even when it comes from different indexes. */
    EquivalenceKey key() {
        return EquivalenceKey.of(parameter());
    }
}
