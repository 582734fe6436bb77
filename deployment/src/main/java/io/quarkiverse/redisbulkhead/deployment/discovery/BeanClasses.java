package io.quarkiverse.redisbulkhead.deployment.discovery;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;

import io.quarkus.arc.processor.BeanDeploymentValidator.ValidationContext;
import io.quarkus.arc.processor.BeanInfo;
import io.quarkus.arc.processor.BuildExtension.Key;

/**
 * The bean classes, including those that the container removes as unused: validation must not depend on whether a bean is
 * used.
 */
public final class BeanClasses {

    private final Map<DotName, BeanInfo> beans = new LinkedHashMap<>();
    private final Map<DotName, List<BeanInfo>> bySuperclass = new HashMap<>();
    private final List<BeanInfo> producers = new ArrayList<>();

    BeanClasses(ValidationContext context, Superclasses superclasses) {
        add(context.get(Key.BEANS));
        add(context.get(Key.REMOVED_BEANS));
        for (BeanInfo bean : beans.values()) {
            superclasses.from(bean.getImplClazz())
                    .forEach(type -> bySuperclass.computeIfAbsent(type.name(), name -> new ArrayList<>()).add(bean));
        }
    }

    private void add(Collection<BeanInfo> some) {
        some.stream().filter(bean -> bean.isProducer()).forEach(producers::add);
        some.stream()
                .filter(BeanInfo::isClassBean)
                .filter(bean -> Objects.nonNull(bean.getImplClazz()))
                .forEach(bean -> beans.putIfAbsent(bean.getImplClazz().name(), bean));
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
}
