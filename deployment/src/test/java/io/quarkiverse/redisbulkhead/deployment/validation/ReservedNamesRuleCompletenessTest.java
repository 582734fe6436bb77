package io.quarkiverse.redisbulkhead.deployment.validation;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.quarkiverse.redisbulkhead.runtime.RedisBulkheadBuildTimeConfig;
import io.quarkiverse.redisbulkhead.runtime.RedisBulkheadRuntimeConfig;
import io.smallrye.config.WithParentName;
import io.smallrye.config.common.utils.StringUtil;

/** Whoever adds a property of the extension must reserve its name. */
class ReservedNamesRuleCompletenessTest {

    @ParameterizedTest
    @MethodSource("globalProperties")
    void theNameOfEachGlobalPropertyIsReserved(String property) {
        assertThat(ReservedNamesRule.isReserved(property)).isTrue();
    }

    /** The map of bulkheads has no name of its own: its keys stand where the names of the global properties stand. */
    static Stream<String> globalProperties() {
        return Stream.of(RedisBulkheadBuildTimeConfig.class, RedisBulkheadRuntimeConfig.class)
                .flatMap(config -> Stream.of(config.getMethods()))
                .filter(property -> !property.isAnnotationPresent(WithParentName.class))
                .map(Method::getName)
                .map(StringUtil::skewer);
    }
}
