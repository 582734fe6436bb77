package io.quarkiverse.redisbulkhead.deployment;

import java.util.function.Predicate;

import jakarta.enterprise.inject.spi.DefinitionException;

import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.MethodInfo;

import io.quarkiverse.redisbulkhead.deployment.discovery.AiServices;
import io.quarkiverse.redisbulkhead.deployment.discovery.Classes;
import io.quarkiverse.redisbulkhead.deployment.discovery.Names;
import io.quarkiverse.redisbulkhead.deployment.discovery.ReturnKinds;
import io.quarkiverse.redisbulkhead.deployment.discovery.SourceLocations;
import io.quarkiverse.redisbulkhead.runtime.definition.ValidationErrors;
import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;
import io.quarkus.builder.BuildChainBuilder;
import io.quarkus.builder.BuildContext;
import io.quarkus.builder.BuildProvider;
import io.quarkus.builder.item.BuildItem;
import io.quarkus.deployment.builditem.CombinedIndexBuildItem;

/**
 * If the application has Quarkus LangChain4j, adds a build step that runs before its own: it lets keys be variables of
 * prompts, and reports guarded methods that LangChain4j would reject. The signature of a {@code @BuildStep} cannot refer to
 * a build item that may be missing.
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
        chain.addBuildStep(context -> prepare(context, ignoredAnnotations))
                .consumes(CombinedIndexBuildItem.class)
                .produces(ignoredAnnotations)
                .build();
    }

    private static void prepare(BuildContext context, Class<? extends BuildItem> ignoredAnnotations) {
        ValidationErrors errors = new ValidationErrors();
        Classes application = new Classes(context.consume(CombinedIndexBuildItem.class).getIndex());
        for (MethodInfo method : new AiServices(application).guardedMethods()) {
            if (ReturnKinds.endsOnce(method.returnType())) {
                String type = method.returnType().name().withoutPackagePrefix();
                errors.add(MessageCode.RBH036, SourceLocations.of(method), "an AI service cannot return " + type
                        + ". Return the plain value or Multi, and put " + AiServices.PUT_IT_ON_THE_CALLER + " and returns "
                        + type);
            }
        }
        if (!errors.all().isEmpty()) {
            throw new DefinitionException(errors.report());
        }
        Predicate<AnnotationInstance> keys = annotation -> Names.BULKHEAD_KEY.equals(annotation.name());
        try {
            context.produce(ignoredAnnotations.getConstructor(Predicate.class).newInstance(keys));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("This version of Quarkus LangChain4j is not supported: " + IGNORED_ANNOTATIONS
                    + " has no constructor with a Predicate", e);
        }
    }
}
