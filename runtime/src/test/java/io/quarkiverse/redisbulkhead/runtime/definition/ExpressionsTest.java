package io.quarkiverse.redisbulkhead.runtime.definition;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.BulkheadDeclaration;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.DefinedInCode;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfig;
import io.smallrye.config.SmallRyeConfigBuilder;

/** Texts in annotations resolve like values in the configuration. */
class ExpressionsTest {

    static final Map<String, String> PROPERTIES = Map.of("region", "eu", "price", "5$", "other", "${region}-2", "inner",
            "region", "broken", "${nowhere}", "loop", "${loop}");

    private final ValidationErrors errors = new ValidationErrors();

    @ParameterizedTest
    @ValueSource(strings = { "${region}-orders", "a ${region} and ${other}", "${nowhere:default}", "${nowhere:${region}}",
            "${${inner}}", "$${region}", "\\${region}", "${price}", "${region", "{${region}}", "${nowhere:a:b}",
            "$$${region}", "${region}$" })
    void expressionsResolveAsInConfiguration(String written) {
        Map<String, String> properties = new HashMap<>(PROPERTIES);
        properties.put("written", written);
        assertThat(resolved(written, false)).isEqualTo(config(properties).getConfigValue("written").getValue());
    }

    @ParameterizedTest
    @ValueSource(strings = { "price$", "$", "$$", "a$$b", "$region", "{region}", "$ {region}", "orders" })
    void otherDollarSignsAreLiteral(String written) {
        assertThat(resolved(written, false)).isEqualTo(written);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '#', value = {
            "${nowhere}-orders     | name refers to nowhere, which is not set. Set it, or provide a default, as in "
                    + "${nowhere:default}",
            "${a.${nowhere}.b:c}   | name refers to nowhere, which is not set. Set it, or provide a default, as in "
                    + "${nowhere:default}",
            "${broken:default}     | name refers to broken, which is set to '${nowhere}', and that cannot be resolved. Set what"
                    + " it refers to",
            "${loop}               | name refers to " })
    void unresolvedPropertyIsAMistakeOfTheStart(String written, String reason) {
        assertThat(resolved(written, true)).isNull();
        assertThat(errors.all()).isEmpty();
        assertThat(resolved(written, false)).isNull();
        assertThat(errors.all()).singleElement().asString()
                .startsWith("RBH026 Shop#buy: @RedisBulkhead(name = \"" + written + "\"): " + reason);
    }

    @Test
    void namesElsewhereMayBeConfigured() {
        Map<String, String> properties = new HashMap<>(PROPERTIES);
        for (String name : List.of("us-orders", "a-x-b-y", "fixed.name")) {
            properties.put("quarkus.redis-bulkhead.\"" + name + "\".fair", "true");
        }
        properties.put("quarkus.redis-bulkhead.\"us-orders-late\".fair", "true");
        new EffectiveDefinitions(
                new Declarations(List.of(), List.of("${region}-orders", "a-${${inner}:c}-b-${d}", "fixed.name"),
                        List.of(), DefinedInCode.NONE),
                config(properties), true, false, errors);

        assertThat(errors.all()).singleElement().asString()
                .startsWith("RBH025 quarkus.redis-bulkhead.\"us-orders-late\".fair: ");
    }

    private String resolved(String written, boolean atBuild) {
        BulkheadDeclaration annotation = Annotated.bulkhead("Shop#buy", written, 1, 1, null, null, null);
        return new EffectiveDefinitions(new Declarations(List.of(annotation), List.of(), List.of(), DefinedInCode.NONE),
                config(PROPERTIES), true, atBuild, errors).annotations().at(annotation).name();
    }

    private static SmallRyeConfig config(Map<String, String> properties) {
        return new SmallRyeConfigBuilder().addDefaultInterceptors()
                .withSources(new PropertiesConfigSource(properties, "test", 100)).build();
    }
}
