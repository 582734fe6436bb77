package io.quarkiverse.redisbulkhead.runtime.rest;

import java.lang.annotation.Annotation;
import java.lang.reflect.Type;
import java.util.List;

import org.jboss.resteasy.reactive.common.model.MethodParameter;
import org.jboss.resteasy.reactive.common.model.ResourceClass;
import org.jboss.resteasy.reactive.server.core.ResteasyReactiveRequestContext;
import org.jboss.resteasy.reactive.server.core.parameters.converters.ParameterConverter;
import org.jboss.resteasy.reactive.server.core.parameters.converters.ParameterConverterSupplier;
import org.jboss.resteasy.reactive.server.model.HandlerChainCustomizer;
import org.jboss.resteasy.reactive.server.model.ParamConverterProviders;
import org.jboss.resteasy.reactive.server.model.ServerMethodParameter;
import org.jboss.resteasy.reactive.server.model.ServerResourceMethod;
import org.jboss.resteasy.reactive.server.spi.ServerRestHandler;

import io.quarkiverse.redisbulkhead.runtime.GuardedMethods;
import io.quarkiverse.redisbulkhead.runtime.GuardedMethods.RequiredKey;
import io.quarkus.arc.Arc;

/**
 * Refuses requests to one resource method whose key is missing or malformed, before the method is called. Quarkus REST would
 * answer a malformed path or query parameter with status 404, and take zero for a missing primitive.
 * <p>
 * The build records it, hence the setters. Thread-safe after that.
 */
public class KeyParameterCheck implements HandlerChainCustomizer {

    // Marks the zero that Quarkus REST takes for a missing primitive. No request can contain it.
    private static final String MISSING = "\0";

    private String beanClass;
    private String method;
    private List<String> parameterTypes;
    private List<Integer> parameters;
    private List<Integer> withoutDefault;

    // Unsynchronized: threads that race find the same.
    private List<RequiredKey> required;

    public String getBeanClass() {
        return beanClass;
    }

    /**
     * Sets the class of the resource.
     *
     * @param beanClass its binary name
     */
    public void setBeanClass(String beanClass) {
        this.beanClass = beanClass;
    }

    public String getMethod() {
        return method;
    }

    /**
     * Sets the resource method.
     *
     * @param method its name
     */
    public void setMethod(String method) {
        this.method = method;
    }

    public List<String> getParameterTypes() {
        return parameterTypes;
    }

    /**
     * Sets the parameter types of the method.
     *
     * @param parameterTypes the binary names of the erased types
     */
    public void setParameterTypes(List<String> parameterTypes) {
        this.parameterTypes = parameterTypes;
    }

    public List<Integer> getParameters() {
        return parameters;
    }

    /**
     * Sets which parameters are keys.
     *
     * @param parameters their positions, from 0
     */
    public void setParameters(List<Integer> parameters) {
        this.parameters = parameters;
    }

    public List<Integer> getWithoutDefault() {
        return withoutDefault;
    }

    /**
     * Sets which of the keys are primitives without a default value that the user wrote.
     *
     * @param withoutDefault their positions, from 0
     */
    public void setWithoutDefault(List<Integer> withoutDefault) {
        this.withoutDefault = withoutDefault;
    }

    @Override
    public List<ServerRestHandler> handlers(Phase phase, ResourceClass resource, ServerResourceMethod resourceMethod) {
        if (phase == Phase.RESOLVE_METHOD_PARAMETERS) {
            // The handlers that convert parameters are made after this.
            parameters.forEach(index -> watch(index, resourceMethod.getParameters()));
        }
        return phase == Phase.BEFORE_METHOD_INVOKE ? List.of(this::check) : List.of();
    }

    // Replaces the parameter: equal parameters of several methods may be one object.
    private void watch(int index, MethodParameter[] all) {
        ServerMethodParameter given = (ServerMethodParameter) all[index];
        if (given.converter == null || given.converter instanceof WatchedSupplier) {
            return;
        }
        ServerMethodParameter watched = new ServerMethodParameter();
        watched.name = given.name;
        watched.type = given.type;
        watched.declaredType = given.declaredType;
        watched.declaredUnresolvedType = given.declaredUnresolvedType;
        watched.signature = given.signature;
        watched.parameterType = given.parameterType;
        watched.encoded = given.encoded;
        watched.mimeType = given.mimeType;
        watched.partFileName = given.partFileName;
        watched.separator = given.separator;
        watched.setDefaultValue(withoutDefault.contains(index) && given.getDefaultValue() != null
                ? MISSING + given.getDefaultValue()
                : given.getDefaultValue());
        watched.setSingle(given.isSingle());
        watched.setOptional(given.isOptional());
        watched.setObtainedAsCollection(given.isObtainedAsCollection());
        watched.customParameterExtractor = given.customParameterExtractor;
        watched.converter = new WatchedSupplier(index, given.converter);
        all[index] = watched;
    }

    private void check(ResteasyReactiveRequestContext request) {
        for (RequiredKey key : required()) {
            if (request.getParameters()[key.index()] == null) {
                throw key.refused();
            }
        }
    }

    private List<RequiredKey> required() {
        List<RequiredKey> known = required;
        if (known == null) {
            known = Arc.container().instance(GuardedMethods.class).get().requiredKeys(beanClass, method, parameterTypes);
            required = known;
        }
        return known;
    }

    private boolean isRequired(int index) {
        return required().stream().anyMatch(key -> key.index() == index);
    }

    private final class WatchedSupplier implements ParameterConverterSupplier {

        private final int index;
        private final ParameterConverterSupplier converters;

        private WatchedSupplier(int index, ParameterConverterSupplier converters) {
            this.index = index;
            this.converters = converters;
        }

        @Override
        public ParameterConverter get() {
            return new WatchedConverter(index, converters.get());
        }

        @Override
        public String getClassName() {
            return converters.getClassName();
        }
    }

    /** Returns null for what is missing or malformed, which the check refuses. The key of a disabled bulkhead is left alone. */
    private final class WatchedConverter implements ParameterConverter {

        private final int index;
        private final ParameterConverter converter;

        private WatchedConverter(int index, ParameterConverter converter) {
            this.index = index;
            this.converter = converter;
        }

        @Override
        public Object convert(Object value) {
            boolean missing = value instanceof String text && text.startsWith(MISSING);
            if (!isRequired(index)) {
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
