package io.quarkiverse.redisbulkhead.deployment.validation;

import java.util.List;

import org.eclipse.microprofile.config.Config;

import io.quarkiverse.redisbulkhead.deployment.discovery.BulkheadUsage;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadBuildTimeConfig;
import io.quarkiverse.redisbulkhead.runtime.definition.ValidationErrors;

/** Conditions on one aspect of the use of {@link io.quarkiverse.redisbulkhead.RedisBulkhead} in an application. */
public interface Rule {

    /**
     * Reports errors.
     *
     * @param usage how the application uses the annotation
     * @param errors takes them
     */
    void check(BulkheadUsage usage, ValidationErrors errors);

    /**
     * All rules.
     *
     * @param config what is configured while the application is built
     * @param fixed the build-time configuration
     * @param http whether the application has an HTTP server
     * @param coroutines whether the application has kotlinx-coroutines-core
     * @return one of each
     */
    static List<Rule> all(Config config, RedisBulkheadBuildTimeConfig fixed, boolean http, boolean coroutines) {
        return List.of(
                new DefinitionRule(config, fixed.store()),
                new BuildConfigurationRule(config, fixed, http),
                new InterceptionRule(),
                new OverrideRule(),
                new ObservableEndRule(coroutines),
                new EventLoopRule(),
                new ParameterRule(),
                new KeyResolverBeanRule());
    }
}
