package io.quarkiverse.redisbulkhead.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;

import org.junit.jupiter.api.Test;

/**
 * The Java code in pages is code that the build compiles and runs. Pages have it written out, so that they can be read as plain
 * files too; {@code -Drenew-reference} rewrites it.
 */
class SnippetsTest {

    private static final boolean RENEW = Boolean.getBoolean("renew");

    /** Shows mistakes, which fail the build. Each number has a test in {@code deployment}. */
    private static final String PAGE_OF_MISTAKES = "errors.adoc";

    @Test
    void noJavaCodeIsOverlooked() throws IOException {
        for (Page page : Page.all()) {
            assertThat(page.blocks("java")).as("%s: its blocks of Java, each begun with the language alone", page)
                    .hasSize(page.beginsOfBlocks("java"));
        }
    }

    @Test
    void javaCodeMatchesTheSamples() throws IOException {
        for (Page page : Page.all()) {
            if (RENEW) {
                Files.writeString(page.file(), renewed(page));
            } else {
                assertThat(page.text()).as(page + " (renew it by ./mvnw test -pl docs -Drenew-reference"
                        + " -Dtest=SnippetsTest)").isEqualTo(renewed(page));
            }
        }
    }

    @Test
    void allJavaCodeNamesItsSource() throws IOException {
        for (Page page : Page.all()) {
            if (!page.file().endsWith(PAGE_OF_MISTAKES)) {
                assertThat(page.blocks("java")).as(page.toString()).allMatch(block -> block.source().isPresent());
            }
        }
    }

    private static String renewed(Page page) throws IOException {
        StringBuilder text = new StringBuilder(page.text());
        List<CodeBlock> blocks = page.blocks("java");
        for (int i = blocks.size() - 1; i >= 0; i--) {
            CodeBlock block = blocks.get(i);
            if (block.source().isPresent()) {
                text.replace(block.begin(), block.end(), Sample.read(block.source().get()));
            }
        }
        return text.toString();
    }
}
