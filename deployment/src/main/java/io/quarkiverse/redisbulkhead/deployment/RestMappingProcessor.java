package io.quarkiverse.redisbulkhead.deployment;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

import jakarta.ws.rs.Priorities;

import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.MethodInfo;
import org.jboss.jandex.MethodParameterInfo;
import org.jboss.jandex.Type;
import org.jboss.resteasy.reactive.server.model.HandlerChainCustomizer;
import org.jboss.resteasy.reactive.server.processor.scanning.MethodScanner;

import io.quarkiverse.redisbulkhead.BulkheadContendedException;
import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.BulkheadInterruptedException;
import io.quarkiverse.redisbulkhead.BulkheadKey;
import io.quarkiverse.redisbulkhead.BulkheadUnavailableException;
import io.quarkiverse.redisbulkhead.InvalidBulkheadKeyException;
import io.quarkiverse.redisbulkhead.deployment.discovery.Shapes;
import io.quarkiverse.redisbulkhead.runtime.rest.KeyParameterCheck;
import io.quarkus.arc.deployment.AdditionalBeanBuildItem;
import io.quarkus.deployment.Capabilities;
import io.quarkus.deployment.Capability;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.resteasy.reactive.server.spi.MethodScannerBuildItem;
import io.quarkus.resteasy.reactive.spi.ExceptionMapperBuildItem;

/** Maps rejections to HTTP responses if Quarkus REST is present. */
class RestMappingProcessor {

    // By name: they need Jakarta REST, which an application without Quarkus REST does not have.
    private static final String PACKAGE = "io.quarkiverse.redisbulkhead.runtime.rest.";

    // The lower number wins, and mappers of applications have Priorities.USER unless they say otherwise.
    private static final int AFTER_USERS = Priorities.USER + 1_000;

    private static final List<Class<? extends Exception>> REJECTIONS = List.of(BulkheadFullException.class,
            BulkheadUnavailableException.class, BulkheadContendedException.class, BulkheadInterruptedException.class,
            InvalidBulkheadKeyException.class);
    private static final DotName KEY = DotName.createSimple(BulkheadKey.class);
    private static final DotName DEFAULT_VALUE = DotName.createSimple("jakarta.ws.rs.DefaultValue");

    @BuildStep
    void exceptionMappers(Capabilities capabilities, BuildProducer<ExceptionMapperBuildItem> mappers,
            BuildProducer<AdditionalBeanBuildItem> beans) {
        if (capabilities.isPresent(Capability.RESTEASY_REACTIVE)) {
            for (Class<? extends Exception> rejection : REJECTIONS) {
                mappers.produce(
                        new ExceptionMapperBuildItem(PACKAGE + "RejectionMapper", rejection.getName(), AFTER_USERS, true));
            }
            beans.produce(AdditionalBeanBuildItem.builder().addBeanClass(PACKAGE + "RetryAfter").setUnremovable().build());
        }
    }

    @BuildStep
    void keyParameters(Capabilities capabilities, BuildProducer<MethodScannerBuildItem> scanners) {
        if (capabilities.isPresent(Capability.RESTEASY_REACTIVE)) {
            scanners.produce(new MethodScannerBuildItem(new KeyParameters()));
        }
    }

    /** Finds the parameters of resource methods that carry {@link BulkheadKey}. */
    private static final class KeyParameters implements MethodScanner {

        @Override
        public List<HandlerChainCustomizer> scan(MethodInfo method, ClassInfo endpoint, Map<String, Object> context) {
            MethodInfo own = endpoint.method(method.name(), method.parameterTypes());
            List<MethodParameterInfo> keys = Stream.of(own, method).filter(Objects::nonNull)
                    .map(declared -> declared.parameters().stream().filter(parameter -> parameter.hasAnnotation(KEY)).toList())
                    .filter(found -> !found.isEmpty()).findFirst().orElse(List.of());
            if (keys.isEmpty()) {
                return List.of();
            }
            List<Integer> withoutDefault = keys.stream().filter(key -> key.type().kind() == Type.Kind.PRIMITIVE
                    && !key.hasAnnotation(DEFAULT_VALUE)
                    && !method.parameters().get(key.position()).hasAnnotation(DEFAULT_VALUE))
                    .map(key -> (int) key.position()).toList();
            return List.of(new KeyParameterCheck(endpoint.name().toString(), method.name(), Shapes.erasedParameters(method),
                    keys.stream().map(key -> (int) key.position()).toList(), withoutDefault));
        }
    }
}
