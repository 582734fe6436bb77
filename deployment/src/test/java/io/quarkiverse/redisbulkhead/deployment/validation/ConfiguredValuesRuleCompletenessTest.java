package io.quarkiverse.redisbulkhead.deployment.validation;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.util.Set;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.quarkiverse.redisbulkhead.runtime.RedisBulkheadRuntimeConfig;
import io.quarkiverse.redisbulkhead.runtime.RedisBulkheadRuntimeConfig.BulkheadConfig;
import io.quarkiverse.redisbulkhead.runtime.RedisBulkheadRuntimeConfig.LockConfig;
import io.quarkiverse.redisbulkhead.runtime.RedisBulkheadRuntimeConfig.LockStoreConfig;
import io.quarkiverse.redisbulkhead.runtime.RedisBulkheadRuntimeConfig.MetricsConfig;
import io.quarkiverse.redisbulkhead.runtime.RedisBulkheadRuntimeConfig.RestConfig;
import io.quarkiverse.redisbulkhead.runtime.RedisBulkheadRuntimeConfig.TracingConfig;
import io.smallrye.config.common.utils.StringUtil;

/** Whoever adds a property of bulkheads or locks must check it. */
class ConfiguredValuesRuleCompletenessTest {

    @ParameterizedTest
    @MethodSource("bulkheadProperties")
    void eachPropertyOfABulkheadIsChecked(String property) {
        assertThat(ConfiguredValuesRule.isChecked(property)).isTrue();
    }

    @ParameterizedTest
    @MethodSource("lockProperties")
    void eachPropertyOfALockIsChecked(String property) {
        assertThat(ConfiguredValuesRule.isCheckedForLocks(property)).isTrue();
    }

    @ParameterizedTest
    @MethodSource("globalProperties")
    void eachPropertyOfAllBulkheadsIsChecked(String property) {
        assertThat(ConfiguredValuesRule.isCheckedForAll(property)).isTrue();
    }

    static Stream<String> globalProperties() {
        return Stream.of(
                namesOf(RedisBulkheadRuntimeConfig.class)
                        .filter(name -> !Set.of("bulkheads", "lock", "rest", "lock-store", "metrics", "tracing")
                                .contains(name)),
                namesOf(RestConfig.class).map(name -> "rest." + name),
                namesOf(MetricsConfig.class).map(name -> "metrics." + name),
                namesOf(TracingConfig.class).map(name -> "tracing." + name),
                namesOf(LockStoreConfig.class).map(name -> "lock-store." + name)).flatMap(names -> names);
    }

    private static Stream<String> namesOf(Class<?> group) {
        return Stream.of(group.getMethods()).map(Method::getName).map(StringUtil::skewer);
    }

    static Stream<String> lockProperties() {
        return namesOf(LockConfig.class);
    }

    static Stream<String> bulkheadProperties() {
        return namesOf(BulkheadConfig.class);
    }
}
