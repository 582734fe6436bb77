package io.quarkiverse.redisbulkhead.deployment.discovery;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.AnnotationOverlay;
import org.jboss.jandex.DotName;
import org.jboss.jandex.MethodInfo;

import io.quarkiverse.redisbulkhead.runtime.definition.Declarations;

/**
 * The use of the annotation in the application: the input of all rules.
 *
 * @param elements the classes and methods that carry it, without those that are deliberately excluded, and without those
 *        that every bean replaces
 * @param idle those of them that guard nothing
 * @param idleParameters the parameters that carry the annotation of a key or weight, but of methods that nothing guards
 * @param declarations what is recorded for the application; methods with mistakes are not complete
 * @param guards the methods that the container binds to the interceptor
 * @param beans the beans, used or not
 * @param annotations the annotations after all transformations
 * @param classes all classes, loaded on demand
 * @param redisClients the named Redis clients that the application asks for
 */
public record BulkheadUsage(List<AnnotatedElement> elements, List<AnnotatedElement> idle,
        List<AnnotatedParameter> idleParameters, Declarations declarations, List<GuardedBeanMethod> guards, BeanClasses beans,
        AnnotationOverlay annotations, Classes classes, Set<String> redisClients) {

    /**
     * The annotations of one type on a method, also where the compiler has put several into a container.
     *
     * @param method the method
     * @param annotation the type, which need not be among the dependencies
     * @param container the type of the container
     * @return none, one or several
     */
    public Stream<AnnotationInstance> annotations(MethodInfo method, DotName annotation, DotName container) {
        return Stream.concat(Stream.ofNullable(annotations.annotation(method, annotation)),
                Stream.ofNullable(annotations.annotation(method, container))
                        .flatMap(several -> Stream.of(several.value().asNestedArray())));
    }
}
