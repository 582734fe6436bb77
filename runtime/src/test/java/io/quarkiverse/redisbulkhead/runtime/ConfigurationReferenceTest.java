package io.quarkiverse.redisbulkhead.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadBuildTimeConfig;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadBuildTimeConfig.StoreKind;
import io.quarkiverse.redisbulkhead.runtime.config.RedisBulkheadRuntimeConfig;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfig;
import io.smallrye.config.SmallRyeConfigBuilder;
import io.smallrye.config.WithDefault;
import io.smallrye.config.WithParentName;

/**
 * The committed configuration reference has every property, with its phase, default and a working example. The docs module
 * checks that it is up to date.
 */
class ConfigurationReferenceTest {

    private static final String RENEW = "the reference; './mvnw compile -pl docs -Drenew-reference' renews it";
    private static final Path REFERENCE = Path.of("..", "docs", "modules", "ROOT", "pages", "includes",
            "quarkus-redis-bulkhead.adoc");
    // Lock icon, name, rest of the row.
    private static final Pattern ROW = Pattern.compile(
            "^a\\|(icon:lock\\[[^]]*])? ?\\[\\[[^]]*]] \\[\\.property-path]##link:[^\\[]*\\[`([^`]+)`]##(.*?)(?=^a\\|icon|^a\\| ?\\[\\[|^\\|===)",
            Pattern.MULTILINE | Pattern.DOTALL);
    private static final Pattern EXAMPLE = Pattern.compile("^Example: `([^`=]+)=([^`]+)`$", Pattern.MULTILINE);
    private static final Pattern DEFAULT = Pattern.compile("^\\|`\\+\\+\\+([^`]*)\\+\\+\\+`$", Pattern.MULTILINE);

    private static final Map<String, Row> ROWS = new LinkedHashMap<>();

    private record Row(String property, boolean atBuildTime, String text) {

        List<MatchResult> examples() {
            return EXAMPLE.matcher(text).results().toList();
        }

        String defaultValue() {
            return DEFAULT.matcher(text).results().map(match -> match.group(1)).findFirst().orElse("").toLowerCase(Locale.ROOT);
        }
    }

    @BeforeAll
    static void read() throws IOException {
        ROW.matcher(Files.readString(REFERENCE)).results()
                .map(row -> new Row(row.group(2), row.group(1) != null, row.group(3)))
                .forEach(row -> ROWS.put(anyName(row.property()), row));
    }

    @Test
    void listsEveryPropertyWithItsDefault() {
        Map<String, String> expected = new TreeMap<>(properties(RedisBulkheadBuildTimeConfig.class));
        expected.putAll(properties(RedisBulkheadRuntimeConfig.class));

        assertThat(ROWS.values().stream().collect(Collectors.toMap(row -> anyName(row.property()), Row::defaultValue)))
                .as(RENEW).containsExactlyInAnyOrderEntriesOf(expected);
    }

    @Test
    void buildTimePropertiesHaveTheLockIcon() {
        assertThat(ROWS.values()).filteredOn(Row::atBuildTime).extracting(row -> anyName(row.property()))
                .as(RENEW).containsExactlyInAnyOrderElementsOf(properties(RedisBulkheadBuildTimeConfig.class).keySet());
    }

    @Test
    void everyPropertyHasAnExample() {
        assertThat(ROWS.values()).allSatisfy(row -> assertThat(row.examples()).as("example of %s in " + RENEW, row.property())
                .singleElement().satisfies(example -> {
                    assertThat(anyName(example.group(1))).isEqualTo(anyName(row.property()));
                    assertThat(example.group(2)).as("example differs from the default").isNotEqualTo(row.defaultValue());
                }));
    }

    @Test
    void everyDurationShowsItsSyntax() {
        assertThat(ROWS.values()).filteredOn(row -> row.text().contains("link:#duration-note"))
                .hasSizeGreaterThan(5)
                .allSatisfy(row -> assertThat(row.text()).as(row.property())
                        .containsPattern("A duration such as `500ms`, `30s` or `PT30S`, (from|up to|longer than) "));
    }

    @Test
    void theExamplesWork() {
        Map<String, String> examples = ROWS.values().stream().flatMap(row -> row.examples().stream())
                .collect(Collectors.toMap(example -> example.group(1), example -> example.group(2)));

        SmallRyeConfig config = new SmallRyeConfigBuilder().addDiscoveredConverters()
                .withSources(new PropertiesConfigSource(examples, "examples", 100))
                .withMapping(RedisBulkheadBuildTimeConfig.class).withMapping(RedisBulkheadRuntimeConfig.class).build();

        assertThat(config.getConfigMapping(RedisBulkheadBuildTimeConfig.class).store()).isEqualTo(StoreKind.LOCK);
        RedisBulkheadRuntimeConfig read = config.getConfigMapping(RedisBulkheadRuntimeConfig.class);
        assertThat(read.bulkheads().get("reports").permits()).hasValue(10);
        assertThat(read.lock().locks().get("archive").lockTimeout()).contains(Duration.ofSeconds(10));
    }

    private static String anyName(String property) {
        return property.replaceAll("\"[^\"]+\"", "\"*\"");
    }

    private static Map<String, String> properties(Class<?> root) {
        Map<String, String> properties = new TreeMap<>();
        collect(root, "quarkus.redis-bulkhead", properties);
        return properties;
    }

    private static void collect(Class<?> group, String prefix, Map<String, String> properties) {
        for (Method member : group.getDeclaredMethods()) {
            String path = member.isAnnotationPresent(WithParentName.class) ? prefix
                    : prefix + "." + hyphenated(member.getName());
            if (Map.class.isAssignableFrom(member.getReturnType())) {
                Class<?> value = (Class<?>) ((ParameterizedType) member.getGenericReturnType()).getActualTypeArguments()[1];
                collect(value, path + ".\"*\"", properties);
            } else if (member.getReturnType().getEnclosingClass() != null && member.getReturnType().isInterface()) {
                collect(member.getReturnType(), path, properties);
            } else {
                WithDefault byDefault = member.getAnnotation(WithDefault.class);
                properties.put(path, byDefault == null ? "" : byDefault.value());
            }
        }
    }

    private static String hyphenated(String name) {
        return name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }
}
