package io.quarkiverse.redisbulkhead.runtime.definition;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfig;
import io.smallrye.config.SmallRyeConfigBuilder;

class MemberTextTest {

    static final Map<String, String> PROPERTIES = Map.of("region", "eu", "price", "5$", "other", "${region}-2", "inner",
            "region",
            "broken", "${nowhere}", "loop", "${loop}");

    /** Annotation members resolve like configuration values. */
    @ParameterizedTest
    @ValueSource(strings = { "${region}-orders", "a ${region} and ${other}", "${nowhere:default}", "${nowhere:${region}}",
            "${nowhere:}", "${${inner}}", "$${region}", "\\${region}", "${price}", "${region", "{${region}}", "${nowhere:a:b}",
            "$$${region}", "${region}$" })
    void expressionsResolveAsInConfiguration(String written) {
        Map<String, String> properties = new HashMap<>(PROPERTIES);
        properties.put("written", written);
        assertThat(text(written).text()).hasValue(config(properties).getConfigValue("written").getValue());
    }

    @ParameterizedTest
    @ValueSource(strings = { "price$", "$", "$$", "a$$b", "$region", "{region}", "$ {region}", "orders", "" })
    void otherDollarSignsAreLiteral(String written) {
        assertThat(text(written).text()).hasValue(written);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '#', value = {
            "${nowhere}-orders     | name refers to nowhere, which is not set. Set it, or provide a default, as in "
                    + "${nowhere:default}",
            "${a.${nowhere}.b:c}   | name refers to nowhere, which is not set. Set it, or provide a default, as in "
                    + "${nowhere:default}",
            "${broken:default}     | name refers to broken, which is set to '${nowhere}', and that cannot be resolved. Set what it refers to" })
    void unresolvedPropertyIsNamed(String written, String reason) {
        assertThat(text(written).text()).isEmpty();
        assertThat(text(written).unresolved()).hasValue(reason);
    }

    @Test
    void selfReferenceIsRefused() {
        assertThat(text("${loop}").unresolved()).hasValueSatisfying(
                reason -> assertThat(reason).startsWith("name refers to loop, which cannot be read: "));
    }

    @Test
    void refusalNamesTheExpressionAndItsProperties() {
        assertThat(text("x").refused("name must not be 'x'")).isEqualTo("name must not be 'x'");
        assertThat(text("${region}${other}").refused("name must be short")).isEqualTo(
                "name = \"${region}${other}\", which is 'eueu-2' by region, other: must be short");
        assertThat(text("${nowhere:x}").refused("name must be long")).isEqualTo(
                "name = \"${nowhere:x}\", which is 'x' by its default: must be long");
    }

    @Test
    void patternMatchesAnyResolvedName() {
        assertThat("eu-orders").matches(MemberText.pattern("${region}-orders"));
        assertThat("eu.orders").matches(MemberText.pattern("eu.orders"));
        assertThat("eu-orders").doesNotMatch(MemberText.pattern("eu.orders"));
        assertThat("eu-orders-late").doesNotMatch(MemberText.pattern("${region}-orders"));
        assertThat("a-x-b-y").matches(MemberText.pattern("a-${${inner}:c}-b-${d}"));
        assertThat("${quoted}").matches(MemberText.pattern("$${quoted}"));
    }

    @Test
    void expressionMayResolveToAnyValue() {
        assertThat(text("orders").possible()).isEmpty();
        assertThat(text("${region}").possible()).hasValueSatisfying(anything -> assertThat("us").matches(anything));
        assertThat(text("${nowhere}").possible()).hasValueSatisfying(anything -> assertThat("x").matches(anything));
        assertThat(text("${region}-orders").possible()).hasValueSatisfying(
                orders -> assertThat("us-orders").matches(orders));
    }

    private static MemberText text(String written) {
        return MemberText.of("name", written, config(PROPERTIES));
    }

    private static SmallRyeConfig config(Map<String, String> properties) {
        return new SmallRyeConfigBuilder().addDefaultInterceptors()
                .withSources(new PropertiesConfigSource(properties, "test", 100)).build();
    }
}
