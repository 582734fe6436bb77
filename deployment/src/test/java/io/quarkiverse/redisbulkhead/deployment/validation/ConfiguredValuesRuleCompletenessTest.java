package io.quarkiverse.redisbulkhead.deployment.validation;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.quarkiverse.redisbulkhead.runtime.RedisBulkheadRuntimeConfig.BulkheadConfig;
import io.quarkiverse.redisbulkhead.runtime.RedisBulkheadRuntimeConfig.LockConfig;
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

    static Stream<String> lockProperties() {
        return Stream.of(LockConfig.class.getMethods()).map(Method::getName).map(StringUtil::skewer);
    }

    static Stream<String> bulkheadProperties() {
        return Stream.of(BulkheadConfig.class.getMethods()).map(Method::getName).map(StringUtil::skewer);
    }
}
