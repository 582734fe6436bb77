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

import io.quarkiverse.redisbulkhead.BulkheadWeight;
import io.quarkiverse.redisbulkhead.runtime.RedisBulkheadInterceptor.RedisBulkheadBinding;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.BulkheadDeclaration;
import io.quarkus.arc.processor.BeanDeploymentValidator.ValidationContext;
import io.quarkus.arc.processor.BeanInfo;
import io.quarkus.arc.processor.BuildExtension.Key;
import io.quarkus.redis.client.RedisClientName;

/**
 * Finds what carries the annotations of the extension, and what they guard. Generated classes and bridges are not the user's.
 */
public final class Discovery {

    private static final Comparator<GuardedBeanMethod> ORDER = Comparator
            .<GuardedBeanMethod, String> comparing(guard -> guard.bean().name().toString())
            .thenComparing(guard -> guard.method().toString());

    private static final DotName BINDING = DotName.createSimple(RedisBulkheadBinding.class);
    private static final DotName REDIS_CLIENT_NAME = DotName.createSimple(RedisClientName.class);
    private static final Set<DotName> ON_PARAMETERS = Set.of(Names.BULKHEAD_KEY, DotName.createSimple(BulkheadWeight.class));

    private final AnnotationOverlay annotations;
    private final Classes classes;
    private final BeanClasses beans;
    private final IndexView application;
    private final List<IndexView> indexes;
    private final Set<DotName> generatedClasses;
    private final ReturnKinds returnKinds;

    /**
     * Prepares the search.
     *
     * @param context what the container found
     * @param beanArchives the classes of the bean archives, loaded on demand
     * @param generatedClasses the names of generated bean classes
     * @param application all indexed classes of the application
     * @param mainModule those of the module that is built
     */
    public Discovery(ValidationContext context, IndexView beanArchives, Set<DotName> generatedClasses, IndexView application,
            IndexView mainModule) {
        this.annotations = context.get(Key.ANNOTATION_STORE).overlay();
        this.classes = new Classes(beanArchives);
        this.beans = new BeanClasses(context, classes, application, mainModule, annotations);
        this.application = application;
        this.indexes = List.of(application, beanArchives);
        this.generatedClasses = generatedClasses;
        this.returnKinds = new ReturnKinds(beanArchives);
    }

    /**
     * Analyzes the application.
     *
     * @return what was found, not yet checked
     */
    public BulkheadUsage usage() {
        List<GuardedBeanMethod> guards = guards();
        Set<EquivalenceKey> sources = sources(guards).map(AnnotatedElement::key).collect(Collectors.toSet());
        Map<Boolean, List<AnnotatedElement>> inForce = elements(guards).stream()
                .collect(Collectors.partitioningBy(element -> sources.contains(element.key())
                        || !isReplaced(element) && !beans.areDisabled(element.type())));
        List<AnnotatedParameter> idleParameters = idleParameters(guards);
        Declarations declarations = new Declarations(declarations(inForce.get(true)), names(inForce.get(false)),
                guards.stream().map(guard -> guard.declaration(beans, isKeyInDoubt(guard, idleParameters))).toList(),
                CodeConstants.in(application));
        List<AnnotatedElement> idle = inForce.get(true).stream().filter(element -> !sources.contains(element.key())).toList();
        return new BulkheadUsage(inForce.get(true), idle, idleParameters, declarations, guards, beans, annotations, classes,
                redisClients());
    }

    // ---- Guarded methods: those that the container has bound to the interceptor, and where their bulkheads are written

    private List<GuardedBeanMethod> guards() {
        List<GuardedBeanMethod> guards = new ArrayList<>();
        for (BeanInfo bean : beans.all()) {
            for (Map.Entry<MethodInfo, Set<AnnotationInstance>> method : bean.getInterceptedMethodsBindings().entrySet()) {
                if (method.getValue().stream().anyMatch(binding -> BINDING.equals(binding.name()))) {
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
        Type result = ReturnKinds.resultOf(method, classes.resolved(bean, method, method.returnType()));
        return new GuardedBeanMethod(bean, owner, method, result, returnKinds.of(method, result), source,
                parameters(declared, type -> classes.resolved(owner, declared, type)));
    }

    // The container gives methods that a bean inherits from an interface the bindings of the bean's class only.
    private Optional<AnnotatedElement> onMethod(MethodInfo method) {
        return method.declaringClass().isInterface() ? Optional.empty() : on(method);
    }

    private Optional<AnnotatedElement> on(Declaration declaration) {
        return AnnotatedElement.of(declaration, annotations.annotations(declaration));
    }

    private static Stream<AnnotatedElement> sources(List<GuardedBeanMethod> guards) {
        return guards.stream().map(GuardedBeanMethod::source).filter(source -> source != null);
    }

    // ---- What carries the annotation, guarded or not

    private Collection<AnnotatedElement> elements(List<GuardedBeanMethod> guards) {
        Map<EquivalenceKey, AnnotatedElement> found = new LinkedHashMap<>();
        Stream<AnnotatedElement> written = annotated(Names.REDIS_BULKHEADS).filter(this::isUsers)
                .flatMap(target -> on(target.asDeclaration()).stream());
        // Some annotations only exist after transformations.
        Stream.concat(written, sources(guards)).forEach(element -> found.putIfAbsent(element.key(), element));
        return found.values();
    }

    private Stream<AnnotationTarget> annotated(Set<DotName> names) {
        return indexes.stream().flatMap(index -> names.stream().flatMap(name -> index.getAnnotations(name).stream()))
                .map(AnnotationInstance::target).filter(target -> target != null);
    }

    private boolean isUsers(AnnotationTarget target) {
        return target.kind() == Kind.CLASS && !generatedClasses.contains(target.asClass().name())
                || target.kind() == Kind.METHOD && !target.asMethod().isSynthetic()
                        && isUsers(target.asMethod().declaringClass());
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
                && type.methods().stream().anyMatch(other -> Classes.overrides(other, method)));
    }

    private boolean isReplaced(ClassInfo replaced, Predicate<ClassInfo> replaces) {
        List<BeanInfo> inheriting = beans.inheriting(replaced);
        return !inheriting.isEmpty() && inheriting.stream().allMatch(bean -> classes.superclasses(bean.getImplClazz())
                .takeWhile(type -> !type.name().equals(replaced.name()))
                .anyMatch(replaces));
    }

    // ---- Parameters that are keys or weights

    /** Those of one method as the user wrote it, in their order. */
    private List<AnnotatedParameter> parameters(MethodInfo method, UnaryOperator<Type> resolution) {
        // The overlay of the container keeps the annotations of parameters with their method.
        return annotations.annotations(method).stream()
                .filter(written -> ON_PARAMETERS.contains(written.name()) && written.target() != null)
                .map(written -> new AnnotatedParameter(written, resolution.apply(written.target().asMethodParameter().type())))
                .sorted(Comparator.comparing(AnnotatedParameter::index))
                .toList();
    }

    /** Those of methods that nothing guards, although no subclass or condition is the reason, and those that are lost. */
    private List<AnnotatedParameter> idleParameters(List<GuardedBeanMethod> guards) {
        Set<EquivalenceKey> inUse = guards.stream().flatMap(guard -> guard.parameters().stream()).map(AnnotatedParameter::key)
                .collect(Collectors.toSet());
        Map<EquivalenceKey, AnnotatedParameter> all = new LinkedHashMap<>();
        annotated(ON_PARAMETERS).filter(target -> target.kind() == Kind.METHOD_PARAMETER)
                .map(target -> target.asMethodParameter().method()).filter(this::isUsers)
                .flatMap(method -> parameters(method, UnaryOperator.identity()).stream())
                .forEach(parameter -> all.putIfAbsent(parameter.key(), parameter));
        return all.values().stream().filter(parameter -> !inUse.contains(parameter.key()) && (isLost(parameter, guards)
                || !isOverridden(parameter.method()) && !beans.areDisabled(parameter.method().declaringClass()))).toList();
    }

    // Overridden by a method that the bulkhead of the class guards as well, but now without a key.
    private boolean isLost(AnnotatedParameter parameter, List<GuardedBeanMethod> guards) {
        return guards.stream().anyMatch(guard -> guard.losesKeyOf(parameter, classes));
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
    private boolean isKeyInDoubt(GuardedBeanMethod guard, List<AnnotatedParameter> idle) {
        return !guard.strayKeys().isEmpty() || idle.stream().anyMatch(parameter -> guard.losesKeyOf(parameter, classes));
    }

    private Set<String> redisClients() {
        return application.getAnnotations(REDIS_CLIENT_NAME).stream()
                .map(annotation -> annotation.value().asString())
                .collect(Collectors.toSet());
    }
}
