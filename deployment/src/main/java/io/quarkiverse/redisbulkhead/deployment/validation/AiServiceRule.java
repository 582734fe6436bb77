package io.quarkiverse.redisbulkhead.deployment.validation;

import java.util.Set;

import org.jboss.jandex.DotName;
import org.jboss.jandex.MethodInfo;

import io.quarkiverse.redisbulkhead.deployment.discovery.AiServices;
import io.quarkiverse.redisbulkhead.deployment.discovery.AnnotatedElement;
import io.quarkiverse.redisbulkhead.deployment.discovery.BulkheadUsage;
import io.quarkiverse.redisbulkhead.deployment.discovery.SourceLocations;
import io.quarkiverse.redisbulkhead.runtime.definition.ValidationErrors;
import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;

/** Of the interfaces that LangChain4j implements, only methods of registered AI services are intercepted. */
public final class AiServiceRule implements Rule {

    private static final String CALLER = "@RedisBulkhead on the method of a bean that calls it";

    private static final Set<DotName> NOT_SUPPORTED = Set.of(
            DotName.createSimple("io.smallrye.mutiny.Uni"),
            DotName.createSimple("java.util.concurrent.CompletionStage"),
            DotName.createSimple("java.util.concurrent.CompletableFuture"));

    @Override
    public void check(BulkheadUsage usage, ValidationErrors errors) {
        for (AnnotatedElement element : usage.idle()) {
            if (AiServices.isImplementedByLangChain4j(element.type())) {
                errors.add(MessageCode.RBH036, element.place(), text(element));
            }
        }
    }

    private static String text(AnnotatedElement element) {
        if (!AiServices.isRegistered(element.type())) {
            return "the interface has no @RegisterAiService, so LangChain4j implements it without interceptors, and"
                    + " @RedisBulkhead guards nothing here. Add @RegisterAiService if it is an AI service, or put " + CALLER;
        }
        return element.isMethod()
                ? "Quarkus LangChain4j implements the abstract methods of an AI service only, and CDI does not intercept this"
                        + " one, so @RedisBulkhead guards nothing here. Put it on the abstract method, or put " + CALLER
                : "@RedisBulkhead on the AI service guards nothing: it has no abstract method without an annotation of its own."
                        + " Remove it";
    }

    /**
     * Finds guarded methods that Quarkus LangChain4j would reject, and suggests alternatives.
     *
     * @param services the AI services of the application
     * @param errors collects the errors
     */
    public static void checkReturnTypes(AiServices services, ValidationErrors errors) {
        for (MethodInfo method : services.guardedMethods()) {
            if (NOT_SUPPORTED.contains(method.returnType().name())) {
                errors.add(MessageCode.RBH036, SourceLocations.of(method), "an AI service cannot return "
                        + method.returnType().name().withoutPackagePrefix() + ". Return the plain value or Multi, and put "
                        + CALLER + " and returns " + method.returnType().name().withoutPackagePrefix());
            }
        }
    }
}
