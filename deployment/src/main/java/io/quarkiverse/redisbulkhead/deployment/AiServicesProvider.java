package io.quarkiverse.redisbulkhead.deployment;

import java.util.function.Predicate;

import org.jboss.jandex.AnnotationInstance;

import io.quarkiverse.redisbulkhead.deployment.discovery.Names;
import io.quarkus.builder.BuildChainBuilder;
import io.quarkus.builder.BuildContext;
import io.quarkus.builder.BuildProvider;
import io.quarkus.builder.item.BuildItem;

/**
 * If the application has Quarkus LangChain4j, adds a build step that runs before its own: it lets keys be variables of
 * prompts. The signature of a {@code @BuildStep} cannot refer to a build item that may be missing.
 */
public class AiServicesProvider implements BuildProvider {

    /** Without it, parameters with an annotation that LangChain4j does not know are no variables of the prompt. */
    private static final String IGNORED_ANNOTATIONS = "io.quarkiverse.langchain4j.deployment.items."
            + "MethodParameterIgnoredAnnotationsBuildItem";

    @Override
    public void installInto(BuildChainBuilder chain) {
        Class<? extends BuildItem> ignoredAnnotations;
        try {
            ignoredAnnotations = Class.forName(IGNORED_ANNOTATIONS, true, Thread.currentThread().getContextClassLoader())
                    .asSubclass(BuildItem.class);
        } catch (ClassNotFoundException e) {
            return;
        }
        chain.addBuildStep(context -> allowKeys(context, ignoredAnnotations))
                .produces(ignoredAnnotations)
                .build();
    }

    private static void allowKeys(BuildContext context, Class<? extends BuildItem> ignoredAnnotations) {
        Predicate<AnnotationInstance> keys = annotation -> Names.BULKHEAD_KEY.equals(annotation.name());
        try {
            context.produce(ignoredAnnotations.getConstructor(Predicate.class).newInstance(keys));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("This version of Quarkus LangChain4j is not supported: " + IGNORED_ANNOTATIONS
                    + " has no constructor with a Predicate", e);
        }
    }
}
