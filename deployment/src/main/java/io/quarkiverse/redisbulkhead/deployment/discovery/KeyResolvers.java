package io.quarkiverse.redisbulkhead.deployment.discovery;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import jakarta.enterprise.inject.AmbiguousResolutionException;

import org.jboss.jandex.AnnotationInstance;
import org.jboss.jandex.ClassType;
import org.jboss.jandex.DotName;

import io.quarkus.arc.processor.BeanInfo;
import io.quarkus.arc.processor.BeanResolver;

/**
 * Finds the beans that resolve keys, as the container would find them for an injection point without qualifiers.
 *
 * @param resolver that of the container
 * @param beans all beans in use
 */
public record KeyResolvers(BeanResolver resolver, Collection<BeanInfo> beans) {

    private static final AnnotationInstance DEFAULT = AnnotationInstance.builder(Names.DEFAULT).build();

    /**
     * The one bean of a type.
     *
     * @param type the class that an annotation names
     * @return empty when no bean matches, or when the container could not choose
     */
    public Optional<BeanInfo> bean(String type) {
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
     * The beans that have the type, whatever their qualifiers.
     *
     * @param type the class that an annotation names
     * @return how errors name them, in alphabetical order
     */
    public List<String> withAnyQualifier(String type) {
        return names(beans.stream().filter(bean -> resolver.matchesType(bean, ClassType.create(DotName.createSimple(type))))
                .toList());
    }

    /**
     * The class beans of a class, even if they are not to be had by this type.
     *
     * @param type the class that an annotation names
     * @return whether there is one
     */
    public boolean isClassOfBean(String type) {
        return beans.stream().anyMatch(bean -> bean.isClassBean() && bean.getBeanClass().toString().equals(type));
    }

    private Set<BeanInfo> resolve(String type) {
        return resolver.resolveBeans(ClassType.create(DotName.createSimple(type)), DEFAULT);
    }

    private static List<String> names(Collection<BeanInfo> some) {
        return some.stream().map(KeyResolvers::name).sorted(Comparator.naturalOrder()).toList();
    }

    private static String name(BeanInfo bean) {
        return bean.isProducer() ? SourceLocations.of(bean.getTarget().orElseThrow()) : bean.getBeanClass().toString();
    }
}
