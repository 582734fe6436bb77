package io.quarkiverse.redisbulkhead.deployment.discovery;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

import org.jboss.jandex.AnnotationOverlay;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.EquivalenceKey;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.Type;

import io.quarkiverse.redisbulkhead.runtime.definition.Declarations;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.BulkheadDeclaration;
import io.quarkus.arc.processor.BeanDeploymentValidator.ValidationContext;
import io.quarkus.arc.processor.BuildExtension.Key;

/**
 * The use of the annotation in the application: the input of all rules.
 *
 * @param elements the classes and methods that carry it, without those that are deliberately excluded, and without those
 *        that every bean replaces
 * @param declarations what is recorded for the application, without methods, which may have mistakes
 * @param guards the methods that the container binds to the interceptor
 * @param beans the beans, used or not
 * @param disabled the classes that are no beans on purpose
 * @param annotations the annotations after all transformations
 * @param superclasses walks up from a class
 * @param returnKinds finds out how the end of an execution is seen
 * @param redisClients the named Redis clients that the application asks for
 * @param classes all classes, loaded on demand
 * @param idleKeys the parameters that carry the annotation of keys, but of methods that nothing guards
 * @param idleWeights the same for weights
 * @param keyResolvers finds the beans that resolve keys
 */
public record BulkheadUsage(List<AnnotatedElement> elements, Declarations declarations, List<GuardedBeanMethod> guards,
        BeanClasses beans, DisabledClasses disabled, AnnotationOverlay annotations, Superclasses superclasses,
        ReturnKinds returnKinds, Set<String> redisClients, IndexView classes, List<KeyParameter> idleKeys,
        List<KeyParameter> idleWeights, KeyResolvers keyResolvers) {

    /**
     * Analyzes the application.
     *
     * @param context what the container found
     * @param beanArchives the classes of the bean archives, loaded on demand
     * @param generatedClasses the names of generated bean classes
     * @param application all indexed classes of the application
     * @return what was found, not yet checked
     */
    public static BulkheadUsage of(ValidationContext context, IndexView beanArchives, Set<DotName> generatedClasses,
            IndexView application) {
        AnnotationOverlay annotations = context.get(Key.ANNOTATION_STORE).overlay();
        Superclasses superclasses = new Superclasses(beanArchives);
        BeanClasses beans = new BeanClasses(context, superclasses);
        DisabledClasses disabled = new DisabledClasses(context, application, annotations);
        KeyParameters keys = new KeyParameters(annotations, generatedClasses, Names.BULKHEAD_KEY);
        KeyParameters weights = new KeyParameters(annotations, generatedClasses, Names.BULKHEAD_WEIGHT);
        List<GuardedBeanMethod> guards = new GuardDiscovery(annotations, superclasses,
                new InterfaceBeans(beanArchives), new BoundTypes(beanArchives), keys, weights).guardsOf(beans);
        Set<EquivalenceKey> sources = sourcesOf(guards);
        Replacement replacement = new Replacement(beans, annotations, superclasses);
        Map<Boolean, List<AnnotatedElement>> all = new AnnotatedElements(annotations, generatedClasses)
                .addFrom(application)
                .addFrom(beanArchives)
                .addSourcesOf(guards)
                .all().stream()
                .collect(Collectors.partitioningBy(element -> sources.contains(element.key())
                        || !replacement.isComplete(element) && !isDisabled(element.type(), beans, disabled, application)));
        Set<EquivalenceKey> used = keysOf(guards);
        List<KeyParameter> idleKeys = keys.in(application, beanArchives).stream()
                .filter(key -> !used.contains(key.key()) && (isLost(key, guards, superclasses)
                        || !replacement.isOverridden(key.method())
                                && !isDisabled(key.method().declaringClass(), beans, disabled, application)))
                .toList();
        Set<EquivalenceKey> weighing = guards.stream().flatMap(guard -> guard.weights().stream()).map(KeyParameter::key)
                .collect(Collectors.toSet());
        List<KeyParameter> idleWeights = weights.in(application, beanArchives).stream()
                .filter(weight -> !weighing.contains(weight.key()) && !replacement.isOverridden(weight.method())
                        && !isDisabled(weight.method().declaringClass(), beans, disabled, application))
                .toList();
        Declarations declarations = new Declarations(declarations(all.get(true)), names(all.get(false)), List.of(),
                returning(guards), CodeConstants.in(application));
        return new BulkheadUsage(all.get(true), declarations, guards, beans, disabled, annotations, superclasses,
                new ReturnKinds(beanArchives), redisClients(application), beanArchives, idleKeys, idleWeights,
                new KeyResolvers(context));
    }

    private static List<BulkheadDeclaration> declarations(List<AnnotatedElement> elements) {
        return elements.stream()
                .flatMap(element -> element.bulkheads().stream().map(written -> written.declaredAt(element.place())))
                .sorted(Comparator.comparing(BulkheadDeclaration::location))
                .toList();
    }

    private static List<String> names(List<AnnotatedElement> elements) {
        return elements.stream().flatMap(element -> element.bulkheads().stream()).map(WrittenBulkhead::name).distinct().sorted()
                .toList();
    }

    /** The places of methods that return something, by the name of each of their bulkheads as written. */
    private static Map<String, List<String>> returning(List<GuardedBeanMethod> guards) {
        Map<String, List<String>> places = new TreeMap<>();
        guards.stream().filter(guard -> !returnsNothing(guard.returns())).forEach(guard -> guard.bulkheads().forEach(
                bulkhead -> places.computeIfAbsent(bulkhead.name(), any -> new ArrayList<>()).add(guard.place())));
        return places;
    }

    private static boolean returnsNothing(Type type) {
        return type.kind() == Type.Kind.VOID || type.kind() == Type.Kind.PARAMETERIZED_TYPE
                && Names.ENDING_ONCE.contains(type.name())
                && Names.VOID.equals(type.asParameterizedType().arguments().get(0).name());
    }

    private static Set<String> redisClients(IndexView application) {
        return application.getAnnotations(Names.REDIS_CLIENT_NAME).stream()
                .map(annotation -> annotation.value().asString())
                .collect(Collectors.toSet());
    }

    private static boolean isDisabled(ClassInfo type, BeanClasses beans, DisabledClasses disabled, IndexView application) {
        return beans.inheriting(type).isEmpty() && (disabled.contains(type)
                || application.getAllKnownSubclasses(type.name()).stream().anyMatch(disabled::contains));
    }

    private static Set<EquivalenceKey> sourcesOf(List<GuardedBeanMethod> guards) {
        return guards.stream()
                .map(GuardedBeanMethod::source)
                .filter(source -> source != null)
                .map(AnnotatedElement::key)
                .collect(Collectors.toSet());
    }

    // Overridden by a method that the bulkhead of the class guards as well, but now without a key.
    private static boolean isLost(KeyParameter key, List<GuardedBeanMethod> guards, Superclasses superclasses) {
        return guards.stream().anyMatch(guard -> guard.losesKey() && guard.overrides(key.method(), superclasses));
    }

    private static Set<EquivalenceKey> keysOf(List<GuardedBeanMethod> guards) {
        return guards.stream().flatMap(guard -> guard.keys().stream()).map(KeyParameter::key).collect(Collectors.toSet());
    }

    /**
     * What is recorded for the application.
     *
     * @return with the guarded methods, in which no mistake may have been found
     */
    public Declarations withMethods() {
        return new Declarations(declarations.bulkheads(), declarations.namesElsewhere(),
                guards.stream().map(guard -> guard.declaration(returnKinds, keyResolvers)).toList(), declarations.returning(),
                declarations.inCode());
    }

    /**
     * The classes and methods whose annotations guard nothing.
     *
     * @return the elements that are the source of no guard
     */
    public List<AnnotatedElement> idle() {
        Set<EquivalenceKey> sources = sourcesOf(guards);
        return elements.stream().filter(element -> !sources.contains(element.key())).toList();
    }
}
