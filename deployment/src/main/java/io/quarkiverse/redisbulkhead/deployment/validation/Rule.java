package io.quarkiverse.redisbulkhead.deployment.validation;

import java.util.List;
import java.util.function.Consumer;

import org.eclipse.microprofile.config.Config;

import io.quarkiverse.redisbulkhead.deployment.discovery.BulkheadUsage;

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
     * @return one of each
     */
    static List<Rule> all(Config config) {
        ConfiguredValues configured = new ConfiguredValues(config);
        return List.of(
                new WrittenValuesRule(),
                new ConfiguredValuesRule(configured),
                new PermitsStatedRule(configured),
                new SameDefinitionRule(),
                new ReservedNamesRule(),
                new DistinctNamesRule(),
                new ModifierRule(),
                new BeanRule(),
                new BusinessMethodRule(),
                new BareBindingRule(),
                new ObservableEndRule(),
                new EventLoopRule(),
                new KeyOfBulkheadRule(),
                new AmbiguousKeyRule(),
                new OneKeyRule(),
                new KeyTypeRule(),
                new KeyedEverywhereRule(),
                new KeyResolverBeanRule());
    }
}
