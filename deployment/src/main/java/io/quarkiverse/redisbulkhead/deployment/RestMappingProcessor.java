package io.quarkiverse.redisbulkhead.deployment;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import jakarta.ws.rs.Priorities;

import org.eclipse.microprofile.faulttolerance.exceptions.BulkheadException;
import org.jboss.jandex.ClassInfo;
import org.jboss.jandex.DotName;
import org.jboss.jandex.IndexView;
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
import io.quarkiverse.redisbulkhead.deployment.discovery.Classes;
import io.quarkiverse.redisbulkhead.deployment.discovery.Names;
import io.quarkiverse.redisbulkhead.runtime.rest.KeyParameterCheck;
import io.quarkiverse.redisbulkhead.runtime.rest.StreamAdmission;
import io.quarkus.arc.deployment.AdditionalBeanBuildItem;
import io.quarkus.deployment.Capabilities;
import io.quarkus.deployment.Capability;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.deployment.builditem.CombinedIndexBuildItem;
import io.quarkus.deployment.util.JandexUtil;
import io.quarkus.resteasy.reactive.server.spi.GlobalHandlerCustomizerBuildItem;
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
    private static final DotName BASE = DotName.createSimple(BulkheadException.class);
    private static final DotName EXCEPTION_MAPPER = DotName.createSimple("jakarta.ws.rs.ext.ExceptionMapper");
    private static final DotName SERVER_EXCEPTION_MAPPER = DotName
            .createSimple("org.jboss.resteasy.reactive.server.ServerExceptionMapper");
    private static final DotName PROVIDER = DotName.createSimple("jakarta.ws.rs.ext.Provider");
    private static final DotName PATH = DotName.createSimple("jakarta.ws.rs.Path");
    private static final DotName DEFAULT_VALUE = DotName.createSimple("jakarta.ws.rs.DefaultValue");

    @BuildStep
    void mapRejections(Capabilities capabilities, CombinedIndexBuildItem index,
            BuildProducer<ExceptionMapperBuildItem> mappers, BuildProducer<AdditionalBeanBuildItem> beans,
            BuildProducer<GlobalHandlerCustomizerBuildItem> handlers, BuildProducer<MethodScannerBuildItem> scanners) {
        if (capabilities.isMissing(Capability.RESTEASY_REACTIVE)) {
            return;
        }
        boolean usersMapBase = usersMap(BASE, index.getComputingIndex());
        for (Class<? extends Exception> rejection : REJECTIONS) {
            if (!usersMapBase || !BulkheadException.class.isAssignableFrom(rejection)) {
                mappers.produce(
                        new ExceptionMapperBuildItem(PACKAGE + "RejectionMapper", rejection.getName(), AFTER_USERS, true));
            }
        }
        beans.produce(AdditionalBeanBuildItem.builder()
                .addBeanClasses(PACKAGE + "Rejections", PACKAGE + "StreamAdmission$ResponseContent").setUnremovable().build());
        handlers.produce(new GlobalHandlerCustomizerBuildItem(new StreamAdmission()));
        scanners.produce(new MethodScannerBuildItem(new KeyParameters(new Classes(index.getComputingIndex()))));
    }

    // The mapper of the nearest type wins, whatever its priority. Mappers in resource classes are for these only.
    private static boolean usersMap(DotName exception, IndexView index) {
        return index.getAllKnownImplementations(EXCEPTION_MAPPER).stream()
                .filter(mapper -> mapper.hasDeclaredAnnotation(PROVIDER))
                .anyMatch(mapper -> JandexUtil.resolveTypeParameters(mapper.name(), EXCEPTION_MAPPER, index).get(0).name()
                        .equals(exception))
                || index.getAnnotations(SERVER_EXCEPTION_MAPPER).stream()
                        .filter(mapper -> !mapper.target().asMethod().declaringClass().hasDeclaredAnnotation(PATH))
                        .anyMatch(mapper -> (mapper.value() == null ? mapper.target().asMethod().parameterTypes().stream()
                                : Stream.of(mapper.value().asClassArray())).map(Type::name).anyMatch(exception::equals));
    }

    /** Finds the parameters of resource methods that carry {@link BulkheadKey}. */
    private record KeyParameters(Classes classes) implements MethodScanner {

        @Override
        public List<HandlerChainCustomizer> scan(MethodInfo method, ClassInfo endpoint, Map<String, Object> context) {
            // The given method is the one with the path, which may be of an interface.
            List<MethodParameterInfo> keys = Stream.concat(classes.overriding(endpoint, method), Stream.of(method))
                    .map(declared -> declared.parameters().stream()
                            .filter(parameter -> parameter.hasAnnotation(Names.BULKHEAD_KEY)).toList())
                    .filter(found -> !found.isEmpty()).findFirst().orElse(List.of());
            if (keys.isEmpty()) {
                return List.of();
            }
            List<Integer> withoutDefault = keys.stream().filter(key -> key.type().kind() == Type.Kind.PRIMITIVE
                    && !key.hasAnnotation(DEFAULT_VALUE)
                    && !method.parameters().get(key.position()).hasAnnotation(DEFAULT_VALUE))
                    .map(key -> (int) key.position()).toList();
            return List.of(new KeyParameterCheck(endpoint.name().toString(), method.name(),
                    Classes.erasedParameters(keys.get(0).method()),
                    keys.stream().map(key -> (int) key.position()).toList(), withoutDefault));
        }
    }
}
