package io.quarkiverse.redisbulkhead.deployment.discovery;

import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Optional;

import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.AnnotationTarget.Kind;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.MethodInfo;

/**
 * The interfaces that carry {@code @RegisterAiService}. Quarkus LangChain4j generates a bean for each. Of the annotations of
 * its methods it copies the interceptor bindings only, and {@link io.quarkiverse.redisbulkhead.RedisBulkhead} is not one.
 *
 * @param classes all indexed classes of the application
 */
public record AiServices(Classes classes) {

    /** The way out where a method of an AI service cannot be guarded. */
    public static final String PUT_IT_ON_THE_CALLER = "@RedisBulkhead on the method of a bean that calls it";

    private static final DotName REGISTER = DotName.createSimple("io.quarkiverse.langchain4j.RegisterAiService");
    private static final String EXTENSION = "io.quarkiverse.langchain4j.";
    // Not all of LangChain4j: annotations of tools do not make it implement anything.
    private static final List<String> IMPLEMENTED = List.of("dev.langchain4j.service.", "dev.langchain4j.agentic.", EXTENSION);

    /**
     * Whether a method of a generated bean implements a guarded one.
     *
     * @param implementation any method
     * @return false for those of other classes
     */
    public boolean isGuarded(MethodInfo implementation) {
        Optional<ClassInfo> service = classes.interfaceOf(implementation.declaringClass()).filter(AiServices::isRegistered);
        return service.flatMap(type -> classes.declared(type, implementation))
                .filter(method -> isGuarded(method, service.get()))
                .isPresent();
    }

    /**
     * The methods that Quarkus LangChain4j implements and that have a bulkhead.
     *
     * @return the methods of the interfaces and their super-interfaces
     */
    public List<MethodInfo> guardedMethods() {
        return classes.index().getAnnotations(REGISTER).stream()
                .map(AnnotationInstance::target)
                .filter(target -> target.kind() == Kind.CLASS)
                .flatMap(target -> classes.interfaces(target.asClass()).flatMap(type -> type.methods().stream())
                        .filter(method -> Modifier.isAbstract(method.flags()) && isGuarded(method, target.asClass())))
                .distinct()
                .toList();
    }

    // An annotation on the interface is for what the user declares, and not for access to the memory of chats.
    private static boolean isGuarded(MethodInfo method, ClassInfo service) {
        return AnnotatedElement.of(method, method.declaredAnnotations()).isPresent()
                || AnnotatedElement.of(service, service.declaredAnnotations()).isPresent()
                        && !method.declaringClass().name().toString().startsWith(EXTENSION);
    }

    /**
     * Whether the interface has a bean.
     *
     * @param type a class
     * @return by its annotation
     */
    public static boolean isRegistered(ClassInfo type) {
        return type.hasDeclaredAnnotation(REGISTER);
    }

    /**
     * Whether LangChain4j implements the interface, as an AI service or an agent, registered or not.
     *
     * @param type a class
     * @return by its annotations and those of its methods
     */
    public static boolean isImplementedByLangChain4j(ClassInfo type) {
        return type.isInterface() && type.annotationsMap().keySet().stream().map(DotName::toString)
                .anyMatch(annotation -> IMPLEMENTED.stream().anyMatch(annotation::startsWith));
    }
}
