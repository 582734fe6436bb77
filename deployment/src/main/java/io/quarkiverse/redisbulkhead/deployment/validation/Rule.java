package io.quarkiverse.redisbulkhead.deployment.validation;

import java.util.List;
import java.util.function.Consumer;

import org.eclipse.microprofile.config.Config;

import io.quarkiverse.redisbulkhead.deployment.discovery.BulkheadUsage;
import io.quarkiverse.redisbulkhead.runtime.RedisBulkheadBuildTimeConfig;

/** One thing that must hold for the use of {@link io.quarkiverse.redisbulkhead.RedisBulkhead} in an application. */
public interface Rule {

    /**
     * Looks for offences.
     *
     * @param usage how the application uses the annotation
     * @param mistakes takes each offence
     */
    void check(BulkheadUsage usage, Consumer<Mistake> mistakes);

    /**
     * All rules.
     *
     * @param config what is configured while the application is built
     * @param fixed what is configured for good then
     * @param http whether the application has an HTTP server
     * @return one of each
     */
    static List<Rule> all(Config config, RedisBulkheadBuildTimeConfig fixed, boolean http) {
        ConfiguredValues configured = new ConfiguredValues(config);
        return List.of(
                new DefinitionsRule(configured),
                new ConfiguredValuesRule(configured),
                new ConfiguredNamesRule(configured),
                new RedisClientRule(configured, fixed),
                new LeaseRule(configured, fixed.store()),
                new MinHoldRule(configured),
                new LocalLimitRule(configured, fixed.store()),
                new WeightRule(configured),
                new ManagementRule(fixed, http),
                new ModifierRule(),
                new BeanRule(),
                new BusinessMethodRule(),
                new BareBindingRule(),
                new ObservableEndRule(),
                new EventLoopRule(new EventLoopEntries(configured)),
                new KeyOfBulkheadRule(),
                new AmbiguousKeyRule(),
                new OneKeyRule(),
                new KeyTypeRule(),
                new KeyedEverywhereRule(configured),
                new KeyResolverBeanRule());
    }
}
