package io.quarkiverse.redisbulkhead.runtime.rest;

import java.lang.annotation.Annotation;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import org.jboss.resteasy.reactive.common.model.MethodParameter;
import org.jboss.resteasy.reactive.common.model.ResourceClass;
import org.jboss.resteasy.reactive.server.core.parameters.converters.ParameterConverter;
import org.jboss.resteasy.reactive.server.core.parameters.converters.ParameterConverterSupplier;
import org.jboss.resteasy.reactive.server.model.HandlerChainCustomizer;
import org.jboss.resteasy.reactive.server.model.ParamConverterProviders;
import org.jboss.resteasy.reactive.server.model.ServerMethodParameter;
import org.jboss.resteasy.reactive.server.model.ServerResourceMethod;
import org.jboss.resteasy.reactive.server.spi.ServerRestHandler;

import io.quarkiverse.redisbulkhead.InvalidBulkheadKeyException;
import io.quarkiverse.redisbulkhead.runtime.GuardedMethods;
import io.quarkus.arc.Arc;
import io.quarkus.arc.impl.LazyValue;

/**
 * Refuses requests to one resource method whose key is missing or malformed, before the method is called. Quarkus REST would
 * answer a malformed path or query parameter with status 404, and take zero for a missing primitive. The build records it.
 *
 * @param beanClass the binary name of the class of the resource
 * @param method the name of the resource method
 * @param parameterTypes the binary names of the erased types of its parameters
 * @param keys the positions of the parameters that are keys, from 0
 * @param withoutDefault those of the keys that are primitives without a default value that the user wrote
 */
public record KeyParameterCheck(String beanClass, String method, List<String> parameterTypes, List<Integer> keys,
        List<Integer> withoutDefault) implements HandlerChainCustomizer {

    // Marks the zero that Quarkus REST takes for a missing primitive. No request can contain it.
    private static final String MISSING = "\0";

    @Override
    public List<ServerRestHandler> handlers(Phase phase, ResourceClass resource, ServerResourceMethod resourceMethod) {
        // Of the bulkheads that are enabled, looked up at the first request.
        LazyValue<Map<Integer, Supplier<InvalidBulkheadKeyException>>> required = new LazyValue<>(
                () -> Arc.container().instance(GuardedMethods.class)
                        .get().requiredKeys(beanClass, method, parameterTypes));
        if (phase == Phase.RESOLVE_METHOD_PARAMETERS) {
            // The handlers that convert parameters are made after this.
            for (int index : keys) {
                watch(index, resourceMethod.getParameters(), required);
            }
        }
        return phase == Phase.BEFORE_METHOD_INVOKE ? List.of(request -> check(request.getParameters(), required.get()))
                : List.of();
    }

    private static void check(Object[] parameters, Map<Integer, Supplier<InvalidBulkheadKeyException>> required) {
        required.forEach((index, refused) -> {
            if (parameters[index] == null) {
                throw refused.get();
            }
        });
    }

    // Replaces the parameter: equal parameters of several methods may be one object.
    private void watch(int index, MethodParameter[] all, LazyValue<? extends Map<Integer, ?>> required) {
        ServerMethodParameter given = (ServerMethodParameter) all[index];
        if (given.converter == null || given.converter instanceof WatchedSupplier) {
            return;
        }
        String defaultValue = withoutDefault.contains(index) && given.getDefaultValue() != null
                ? MISSING + given.getDefaultValue()
                : given.getDefaultValue();
        ServerMethodParameter watched = new ServerMethodParameter(given.name, given.type, given.declaredType,
                given.declaredUnresolvedType, given.parameterType, given.isSingle(), given.signature,
                new WatchedSupplier(index, given.converter, required), defaultValue, given.isObtainedAsCollection(),
                given.isOptional(), given.encoded, given.customParameterExtractor, given.mimeType, given.separator);
        watched.partFileName = given.partFileName;
        all[index] = watched;
    }

    private record WatchedSupplier(int index, ParameterConverterSupplier converters,
            LazyValue<? extends Map<Integer, ?>> required) implements ParameterConverterSupplier {

        @Override
        public ParameterConverter get() {
            return new WatchedConverter(index, converters.get(), required);
        }

        @Override
        public String getClassName() {
            return converters.getClassName();
        }
    }

    /** Returns null for what is missing or malformed, which the check refuses. The key of a disabled bulkhead is left alone. */
    private record WatchedConverter(int index, ParameterConverter converter,
            LazyValue<? extends Map<Integer, ?>> required) implements ParameterConverter {

        @Override
        public Object convert(Object value) {
            boolean missing = value instanceof String text && text.startsWith(MISSING);
            if (!required.get().containsKey(index)) {
                return converter.convert(missing ? ((String) value).substring(MISSING.length()) : value);
            }
            try {
                return missing ? null : converter.convert(value);
            } catch (RuntimeException e) {
                return null;
            }
        }

        @Override
        public void init(ParamConverterProviders providers, Class<?> rawType, Type genericType, Annotation[] annotations) {
            converter.init(providers, rawType, genericType, annotations);
        }

        @Override
        public boolean isForSingleObjectContainer() {
            return converter.isForSingleObjectContainer();
        }
    }
}
