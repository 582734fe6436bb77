package io.quarkiverse.redisbulkhead.deployment.discovery;

import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.AnnotationOverlay;
import org.jboss.jandex.AnnotationTarget;
import org.jboss.jandex.AnnotationTarget.Kind;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.Declaration;
import org.jboss.jandex.DotName;
import org.jboss.jandex.EquivalenceKey;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.MethodInfo;
import org.jboss.jandex.Type;

import io.quarkiverse.redisbulkhead.runtime.definition.Declarations;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.BulkheadDeclaration;
import io.quarkus.arc.processor.BeanDeploymentValidator.ValidationContext;
import io.quarkus.arc.processor.BeanInfo;
import io.quarkus.arc.processor.BuildExtension.Key;

/**
 * Finds what carries the annotations of the extension, and what they guard. Generated classes and bridges are not the user's.
 */
public final class Discovery {

    private static final Comparator<GuardedBeanMethod> ORDER = Comparator
            .<GuardedBeanMethod, String> comparing(guard -> guard.bean().name().toString())
            .thenComparing(guard -> guard.method().toString());

    private final AnnotationOverlay annotations;
    private final Classes classes;
    private final BeanClasses beans;
    private final IndexView application;
    private final List<IndexView> indexes;
    private final Set<DotName> generatedClasses;

    /**
     * Prepares the search.
     *
     * @param context what the container found
     * @param beanArchives the classes of the bean archives, loaded on demand
     * @param generatedClasses the names of generated bean classes
     * @param application all indexed classes of the application
     */
    public Discovery(ValidationContext context, IndexView beanArchives, Set<DotName> generatedClasses, IndexView application) {
        this.annotations = context.get(Key.ANNOTATION_STORE).overlay();
        this.classes = new Classes(beanArchives);
        this.beans = new BeanClasses(context, classes, application, annotations);
        this.application = application;
        this.indexes = List.of(application, beanArchives);
        this.generatedClasses = generatedClasses;
    }

    /**
     * Analyzes the application.
     *
     * @return what was found, not yet checked
     */
    public BulkheadUsage usage() {
        List<GuardedBeanMethod> guards = guards();
        Set<EquivalenceKey> sources = BulkheadUsage.sourcesOf(guards);
        Map<Boolean, List<AnnotatedElement>> inForce = elements(guards).stream()
                .collect(Collectors.partitioningBy(element -> sources.contains(element.key())
                        || !isReplaced(element) && !beans.areDisabled(element.type())));
        // Overridden by a method that the bulkhead of the class guards as well, but now without a key.
        Predicate<AnnotatedParameter> lost = key -> guards.stream().anyMatch(guard -> guard.losesKeyOf(key.method(), classes));
        List<AnnotatedParameter> idleKeys = idle(Names.BULKHEAD_KEY, guards, GuardedBeanMethod::keys, lost);
        List<AnnotatedParameter> idleWeights = idle(Names.BULKHEAD_WEIGHT, guards, GuardedBeanMethod::weights, weight -> false);
        ReturnKinds returnKinds = new ReturnKinds(classes.index());
        Declarations declarations = new Declarations(declarations(inForce.get(true)), names(inForce.get(false)),
                guards.stream().map(guard -> guard.declaration(returnKinds, beans, isKeyInDoubt(guard, idleKeys))).toList(),
                CodeConstants.in(application));
        return new BulkheadUsage(inForce.get(true), declarations, guards, beans, annotations, classes, returnKinds,
                redisClients(), idleKeys, idleWeights);
    }

    // ---- Guarded methods: those that the container has bound to the interceptor, and where their bulkheads are written

    private List<GuardedBeanMethod> guards() {
        List<GuardedBeanMethod> guards = new ArrayList<>();
        for (BeanInfo bean : beans.all()) {
            for (Map.Entry<MethodInfo, Set<AnnotationInstance>> method : bean.getInterceptedMethodsBindings().entrySet()) {
                if (method.getValue().stream().anyMatch(binding -> Names.BINDING.equals(binding.name()))) {
                    guards.add(guard(bean.getImplClazz(), method.getKey()));
                }
            }
        }
        guards.sort(ORDER);
        return List.copyOf(guards);
    }

    private GuardedBeanMethod guard(ClassInfo bean, MethodInfo method) {
        ClassInfo owner = classes.interfaceOf(bean).orElse(bean);
        MethodInfo declared = owner == bean ? method : classes.declared(owner, method).orElse(method);
        AnnotatedElement source = (owner == bean ? onMethod(method) : on(declared))
                .or(() -> classes.superclasses(owner).flatMap(each -> on(each).stream()).findFirst())
                .orElse(null);
        UnaryOperator<Type> resolution = type -> classes.resolved(owner, declared, type);
        return new GuardedBeanMethod(bean, owner, method, classes.resolved(bean, method, method.returnType()), source,
                parameters(declared, Names.BULKHEAD_KEY, resolution), parameters(declared, Names.BULKHEAD_WEIGHT, resolution));
    }

    // The container gives methods that a bean inherits from an interface the bindings of the bean's class only.
    private Optional<AnnotatedElement> onMethod(MethodInfo method) {
        return method.declaringClass().isInterface() ? Optional.empty() : on(method);
    }

    private Optional<AnnotatedElement> on(Declaration declaration) {
        return AnnotatedElement.of(declaration, annotations.annotations(declaration));
    }

    // ---- What carries the annotation, guarded or not

    private Collection<AnnotatedElement> elements(List<GuardedBeanMethod> guards) {
        Map<EquivalenceKey, AnnotatedElement> found = new LinkedHashMap<>();
        Stream<AnnotatedElement> written = indexes.stream()
                .flatMap(index -> Stream.of(Names.REDIS_BULKHEAD, Names.REDIS_BULKHEAD_LIST)
                        .flatMap(name -> index.getAnnotations(name).stream()))
                .map(AnnotationInstance::target).filter(this::isUsers)
                .flatMap(target -> on(target.asDeclaration()).stream());
        // Some annotations only exist after transformations.
        Stream<AnnotatedElement> inForce = guards.stream().map(GuardedBeanMethod::source).filter(source -> source != null);
        Stream.concat(written, inForce).forEach(element -> found.putIfAbsent(element.key(), element));
        return found.values();
    }

    private boolean isUsers(AnnotationTarget target) {
        return target != null && (target.kind() == Kind.CLASS && !generatedClasses.contains(target.asClass().name())
                || target.kind() == Kind.METHOD && !target.asMethod().isSynthetic()
                        && isUsers(target.asMethod().declaringClass()));
    }

    /**
     * Whether every bean replaces the annotation: the method by an overriding one, the class's annotation by that of a
     * subclass. As usual in Java, the subclass decides, so it has no effect.
     */
    private boolean isReplaced(AnnotatedElement element) {
        return element.isMethod() ? isOverridden(element.method())
                : isReplaced(element.type(), type -> on(type).isPresent());
    }

    private boolean isOverridden(MethodInfo method) {
        return isReplaced(method.declaringClass(), type -> !Modifier.isAbstract(method.flags())
                && type.methods().stream().anyMatch(other -> Shapes.overrides(other, method)));
    }

    private boolean isReplaced(ClassInfo replaced, Predicate<ClassInfo> replaces) {
        List<BeanInfo> inheriting = beans.inheriting(replaced);
        return !inheriting.isEmpty() && inheriting.stream().allMatch(bean -> classes.superclasses(bean.getImplClazz())
                .takeWhile(type -> !type.name().equals(replaced.name()))
                .anyMatch(replaces));
    }

    // ---- Parameters that carry the annotation of keys, or that of weights

    /** Those of one method as the user wrote it, in their order. */
    private List<AnnotatedParameter> parameters(MethodInfo method, DotName annotation, UnaryOperator<Type> resolution) {
        // The overlay of the container keeps the annotations of parameters with their method.
        return annotations.annotations(method).stream()
                .filter(written -> annotation.equals(written.name()) && isOnParameter(written))
                .map(written -> new AnnotatedParameter(written, resolution.apply(written.target().asMethodParameter().type())))
                .sorted(Comparator.comparing(AnnotatedParameter::index))
                .toList();
    }

    private static boolean isOnParameter(AnnotationInstance written) {
        return written.target() != null && written.target().kind() == Kind.METHOD_PARAMETER;
    }

    /** Those of methods that nothing guards, although no subclass or condition is the reason, and those that are lost. */
    private List<AnnotatedParameter> idle(DotName annotation, List<GuardedBeanMethod> guards,
            Function<GuardedBeanMethod, List<AnnotatedParameter>> used, Predicate<AnnotatedParameter> lost) {
        Set<EquivalenceKey> inUse = guards.stream().flatMap(guard -> used.apply(guard).stream()).map(AnnotatedParameter::key)
                .collect(Collectors.toSet());
        Map<EquivalenceKey, AnnotatedParameter> all = new LinkedHashMap<>();
        indexes.stream().flatMap(index -> index.getAnnotations(annotation).stream()).filter(Discovery::isOnParameter)
                .map(written -> written.target().asMethodParameter().method()).filter(this::isUsers)
                .flatMap(method -> parameters(method, annotation, UnaryOperator.identity()).stream())
                .forEach(parameter -> all.putIfAbsent(parameter.key(), parameter));
        return all.values().stream().filter(parameter -> !inUse.contains(parameter.key()) && (lost.test(parameter)
                || !isOverridden(parameter.method()) && !beans.areDisabled(parameter.method().declaringClass()))).toList();
    }

    // ---- What is recorded for the application

    private static List<BulkheadDeclaration> declarations(List<AnnotatedElement> elements) {
        return elements.stream().flatMap(element -> element.bulkheads().stream())
                .sorted(Comparator.comparing(BulkheadDeclaration::location)).toList();
    }

    private static List<String> names(List<AnnotatedElement> elements) {
        return declarations(elements).stream().map(BulkheadDeclaration::name).distinct().sorted().toList();
    }

    // A stray key, or one that an override loses, is a mistake of its own, and may be the missing key.
    private boolean isKeyInDoubt(GuardedBeanMethod guard, List<AnnotatedParameter> idleKeys) {
        return !guard.strayKeys().isEmpty()
                || idleKeys.stream().anyMatch(key -> guard.losesKeyOf(key.method(), classes));
    }

    private Set<String> redisClients() {
        return application.getAnnotations(Names.REDIS_CLIENT_NAME).stream()
                .map(annotation -> annotation.value().asString())
                .collect(Collectors.toSet());
    }
}
