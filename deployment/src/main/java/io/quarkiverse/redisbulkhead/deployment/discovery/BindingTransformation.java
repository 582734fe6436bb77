package io.quarkiverse.redisbulkhead.deployment.discovery;

import java.lang.reflect.Modifier;

import org.jboss.jandex.AnnotationTarget.Kind;
import org.jboss.jandex.AnnotationTransformation;
import org.jboss.jandex.Declaration;
import org.jboss.jandex.MethodInfo;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.runtime.RedisBulkheadBinding;

/**
 * Adds the interceptor binding to whatever carries {@link RedisBulkhead} and can be intercepted, and to the methods that
 * implement those of AI services. The rest is left to the rules, because the container would stop at the first place that it
 * cannot intercept.
 *
 * @param aiServices those of the application
 */
public record BindingTransformation(AiServices aiServices) implements AnnotationTransformation {

    @Override
    public boolean supports(Kind kind) {
        return kind == Kind.CLASS || kind == Kind.METHOD;
    }

    @Override
    public void apply(TransformationContext context) {
        if (isGuarded(context) && canBeIntercepted(context.declaration())) {
            context.add(RedisBulkheadBinding.class);
        }
    }

    private boolean isGuarded(TransformationContext context) {
        return context.hasAnnotation(annotation -> Names.isRedisBulkhead(annotation.name()))
                || context.declaration().kind() == Kind.METHOD && aiServices.isGuarded(context.declaration().asMethod());
    }

    private static boolean canBeIntercepted(Declaration declaration) {
        if (declaration.kind() == Kind.CLASS) {
            return !declaration.asClass().isInterface() && Shapes.isTopLevelOrStatic(declaration.asClass());
        }
        MethodInfo method = declaration.asMethod();
        return Shapes.canBeOverridden(method) && !Modifier.isAbstract(method.flags())
                && Shapes.isTopLevelOrStatic(method.declaringClass());
    }
}
