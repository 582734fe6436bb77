package io.quarkiverse.redisbulkhead.deployment.discovery;

import java.lang.reflect.Modifier;

import org.jboss.jandex.AnnotationTarget.Kind;
import org.jboss.jandex.AnnotationTransformation;
import org.jboss.jandex.Declaration;
import org.jboss.jandex.MethodInfo;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.runtime.RedisBulkheadBinding;

/**
 * Adds the interceptor binding to whatever carries {@link RedisBulkhead} and can be intercepted. The rest is left to
 * the rules, because the container would stop at the first place that it cannot intercept.
 */
public final class BindingTransformation implements AnnotationTransformation {

    @Override
    public boolean supports(Kind kind) {
        return kind == Kind.CLASS || kind == Kind.METHOD;
    }

    @Override
    public void apply(TransformationContext context) {
        if (context.hasAnnotation(annotation -> Names.isRedisBulkhead(annotation.name()))
                && canBeIntercepted(context.declaration())) {
            context.add(RedisBulkheadBinding.class);
        }
    }

    private static boolean canBeIntercepted(Declaration declaration) {
        if (declaration.kind() == Kind.CLASS) {
            return !declaration.asClass().isInterface() && ClassShape.isTopLevelOrStatic(declaration.asClass());
        }
        MethodInfo method = declaration.asMethod();
        return MethodShape.canBeOverridden(method) && !Modifier.isAbstract(method.flags())
                && ClassShape.isTopLevelOrStatic(method.declaringClass());
    }
}
