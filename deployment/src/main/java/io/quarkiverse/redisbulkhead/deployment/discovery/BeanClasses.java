package io.quarkiverse.redisbulkhead.deployment.discovery;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import jakarta.enterprise.inject.AmbiguousResolutionException;
import jakarta.enterprise.inject.Default;
import jakarta.enterprise.inject.Vetoed;
import jakarta.inject.Inject;

import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.AnnotationOverlay;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.ClassType;
import org.jboss.jandex.DotName;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.MethodInfo;
import org.jboss.jandex.Type;

import io.quarkus.arc.processor.BeanDeploymentValidator.ValidationContext;
import io.quarkus.arc.processor.BeanInfo;
import io.quarkus.arc.processor.BeanResolver;
import io.quarkus.arc.processor.BuildExtension.Key;

/**
 * Which classes are beans, and which were deliberately excluded. Beans that the container removes as unused count, because
 * validation must not depend on whether a bean is used.
 */
public final class BeanClasses {

    private static final DotName VETOED = DotName.createSimple(Vetoed.class);
    private static final DotName INJECT = DotName.createSimple(Inject.class);
    private static final AnnotationInstance DEFAULT = AnnotationInstance.builder(Default.class).build();

    private final Map<DotName, BeanInfo> beans = new LinkedHashMap<>();
    private final Map<DotName, List<BeanInfo>> bySuperclass = new HashMap<>();
    private final List<BeanInfo> producers = new ArrayList<>();
    private final IndexView application;
    private final IndexView mainModule;
    private final AnnotationOverlay annotations;
    private final Set<DotName> beanDefiningAnnotations = new HashSet<>();
    private final BeanResolver resolver;
    private final Collection<BeanInfo> inUse;

    BeanClasses(ValidationContext context, Classes classes, IndexView application, IndexView mainModule,
            AnnotationOverlay annotations) {
        this.application = application;
        this.mainModule = mainModule;
        this.annotations = annotations;
        this.resolver = context.get(Key.DEPLOYMENT).getBeanResolver();
        this.inUse = context.get(Key.BEANS);
        for (Collection<BeanInfo> some : List.of(inUse, context.get(Key.REMOVED_BEANS))) {
            some.stream().filter(BeanInfo::isProducer).forEach(producers::add);
            some.stream().filter(bean -> bean.isClassBean() && bean.getImplClazz() != null)
                    .forEach(bean -> beans.putIfAbsent(bean.getImplClazz().name(), bean));
        }
        for (BeanInfo bean : beans.values()) {
            classes.superclasses(bean.getImplClazz())
                    .forEach(type -> bySuperclass.computeIfAbsent(type.name(), name -> new ArrayList<>()).add(bean));
        }
        context.get(Key.SCOPES).forEach(scope -> beanDefiningAnnotations.add(scope.getDotName()));
        beanDefiningAnnotations.addAll(context.get(Key.STEREOTYPES).keySet());
    }

    /**
     * All of them.
     *
     * @return used or not
     */
    public Collection<BeanInfo> all() {
        return beans.values();
    }

    /**
     * The beans whose class is the given one or inherits from it.
     *
     * @param type the class
     * @return none when the class has nothing to do with a bean
     */
    public List<BeanInfo> inheriting(ClassInfo type) {
        return bySuperclass.getOrDefault(type.name(), List.of());
    }

    /**
     * The producer that makes instances of a class.
     *
     * @param type a class that is not a bean class
     * @return its class and method or field; empty when none is known
     */
    public Optional<String> producerOf(ClassInfo type) {
        return producers.stream()
                .filter(producer -> producer.getTypes().stream().anyMatch(made -> made.name().equals(type.name())))
                .map(producer -> SourceLocations.of(producer.getTarget().orElseThrow()))
                .sorted()
                .findFirst();
    }

    /**
     * Whether no bean has to do with a class on purpose: it, or a subclass, was excluded, or it is an abstract class of another
     * module that this application does not extend.
     */
    boolean areDisabled(ClassInfo type) {
        Collection<ClassInfo> subclasses = application.getAllKnownSubclasses(type.name());
        boolean forOthers = type.isAbstract() && !type.isInterface() && subclasses.isEmpty()
                && mainModule.getClassByName(type.name()) == null;
        return inheriting(type).isEmpty()
                && (forOthers || isExcluded(type) || subclasses.stream().anyMatch(this::isExcluded));
    }

    /**
     * Whether a class was deliberately excluded from the beans: vetoed, disabled by a build-time condition (which vetoes too),
     * or excluded by type.
     *
     * @param type the class
     * @return false when it is not a bean by mistake
     */
    public boolean isExcluded(ClassInfo type) {
        ClassInfo packageInfo = application.getClassByName(type.name().packagePrefix() + ".package-info");
        // The container does not expose excluded types: no other reason is left for a class that meets all conditions of a bean.
        return annotations.hasAnnotation(type, VETOED)
                || packageInfo != null && annotations.hasAnnotation(packageInfo, VETOED)
                || hasBeanDefiningAnnotation(type) && Classes.canBeBean(type) && hasUsableConstructor(type);
    }

    /**
     * Whether the class has a scope or a stereotype.
     *
     * @param type the class
     * @return whether it says that it is a bean
     */
    public boolean hasBeanDefiningAnnotation(ClassInfo type) {
        return annotations.hasAnyAnnotation(type, beanDefiningAnnotations);
    }

    /**
     * Whether the container knows which constructor to call.
     *
     * @param type the class
     * @return false when there are several and none is marked
     */
    public boolean hasUsableConstructor(ClassInfo type) {
        List<MethodInfo> constructors = type.constructors();
        return type.hasNoArgsConstructor() || constructors.size() == 1
                || constructors.stream().anyMatch(constructor -> annotations.hasAnnotation(constructor, INJECT));
    }

    // ---- Beans that resolve keys

    /**
     * The one bean of a type, as the container would find it for an injection point without qualifiers.
     *
     * @param type the class that an annotation names
     * @return empty when no bean matches, or when the container could not choose
     */
    public Optional<BeanInfo> keyResolver(String type) {
        try {
            return Optional.ofNullable(resolver.resolveAmbiguity(resolve(type)));
        } catch (AmbiguousResolutionException e) {
            return Optional.empty();
        }
    }

    /**
     * All beans of a type that the container would choose among.
     *
     * @param type the class that an annotation names
     * @return how errors name them, in alphabetical order
     */
    public List<String> candidates(String type) {
        return names(resolve(type));
    }

    /**
     * The beans that have the type, whatever their qualifiers, and those of its class that do not have it as a bean type.
     *
     * @param type the class that an annotation names
     * @return how errors name them, in alphabetical order
     */
    public List<String> hidden(String type) {
        Type wanted = ClassType.create(DotName.createSimple(type));
        return names(inUse.stream().filter(bean -> resolver.matchesType(bean, wanted)
                || bean.isClassBean() && bean.getBeanClass().equals(wanted.name())).toList());
    }

    private Set<BeanInfo> resolve(String type) {
        return resolver.resolveBeans(ClassType.create(DotName.createSimple(type)), DEFAULT);
    }

    private static List<String> names(Collection<BeanInfo> some) {
        return some.stream().map(BeanClasses::name).sorted(Comparator.naturalOrder()).toList();
    }

    private static String name(BeanInfo bean) {
        return bean.isProducer() ? SourceLocations.of(bean.getTarget().orElseThrow()) : bean.getBeanClass().toString();
    }
}
