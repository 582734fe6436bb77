package io.quarkiverse.redisbulkhead.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.util.List;
import java.util.Properties;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;

/** The properties of the extension that pages set are those of the reference, which is generated from the sources. */
class PropertiesTest {

    private static final String PREFIX = "quarkus.redis-bulkhead.";
    private static final Pattern IN_REFERENCE = Pattern.compile("^a\\|.*\\[`(quarkus\\.redis-bulkhead\\.[^`]+)`]",
            Pattern.MULTILINE);

    /** Shows wrong ones on purpose. */
    private static final String PAGE_OF_MISTAKES = "errors.adoc";

    @Test
    void everyPropertyOfTheExtensionIsInTheReference() throws IOException {
        List<Pattern> known = known();
        for (Page page : Page.all()) {
            if (!page.file().endsWith(PAGE_OF_MISTAKES)) {
                for (CodeBlock block : page.blocks("properties")) {
                    assertThat(keys(block)).as(page + ": " + block)
                            .allMatch(key -> known.stream().anyMatch(property -> property.matcher(key).matches()));
                }
            }
        }
    }

    @Test
    void noPropertiesAreOverlooked() throws IOException {
        for (Page page : Page.all()) {
            assertThat(page.blocks("properties")).as("%s: its blocks of properties, each begun with the language alone", page)
                    .hasSize(page.beginsOfBlocks("properties"));
        }
    }

    private static List<String> keys(CodeBlock block) throws IOException {
        Properties properties = new Properties();
        properties.load(new StringReader(block.code()));
        return properties.stringPropertyNames().stream().map(key -> key.replaceFirst("^%[a-z]+\\.", ""))
                .filter(key -> key.startsWith(PREFIX)).toList();
    }

    private static List<Pattern> known() throws IOException {
        String reference = Files.readString(Page.PAGES.resolve("includes/quarkus-redis-bulkhead.adoc"));
        List<Pattern> properties = IN_REFERENCE.matcher(reference).results()
                .map(property -> Pattern.compile(property.group(1).replace(".", "\\.").replaceAll("\"[^\"]+\"", "\"[^\"]+\"")))
                .toList();
        assertThat(properties).hasSizeGreaterThan(30);
        return properties;
    }
}
