package io.quarkiverse.redisbulkhead.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

/** What the documentation refers to is there: files, images, and places in pages; and every page is in the navigation. */
class LinksTest {

    private static final Path NAVIGATION = Page.PAGES.resolveSibling("nav.adoc");

    @Test
    void everyLinkLeadsSomewhere() throws IOException {
        List<String> broken = new ArrayList<>();
        for (Page page : Page.all()) {
            for (Page.Link link : page.links()) {
                if (!leadsSomewhere(link)) {
                    broken.add(page + ": " + link.written());
                }
            }
        }
        assertThat(broken).isEmpty();
    }

    private static boolean leadsSomewhere(Page.Link link) throws IOException {
        if (!Files.exists(link.file())) {
            return false;
        }
        return link.anchor().isEmpty() || Files.isRegularFile(link.file()) && isPage(link.file())
                && Page.read(link.file()).anchors().contains(link.anchor());
    }

    private static boolean isPage(Path file) {
        return file.toString().endsWith(".adoc") || file.toString().endsWith(".md");
    }

    /** A comma would end a text without quotes, and what follows would be the width. */
    @Test
    void everyImageHasAText() throws IOException {
        for (Page page : Page.all()) {
            assertThat(page.text().lines().filter(line -> line.startsWith("image::"))).as(page.toString())
                    .allMatch(line -> line.matches("image::\\S+\\[(?:\"[^\"]+\"|[^,\"]+)]"));
        }
    }

    /** Without plus signs, AsciiDoc takes two pairs of underscores for emphasis, and does not show them. */
    @Test
    void underscoresInCodeAreShown() throws IOException {
        try (Stream<Path> files = Files.list(Page.PAGES)) {
            assertThat(files.filter(Page::isAsciidoc)).allSatisfy(
                    file -> assertThat(file).content().doesNotContainPattern("`[^`+\\n][^`\\n]*__[^`\\n]+__[^`\\n]*`"));
        }
    }

    @Test
    void theNavigationListsEveryPageOnce() throws IOException {
        try (Stream<Path> files = Files.list(Page.PAGES)) {
            assertThat(Page.read(NAVIGATION).links()).extracting(Page.Link::file).filteredOn(Page::isAsciidoc)
                    .containsExactlyInAnyOrderElementsOf(files.filter(Page::isAsciidoc).toList());
        }
    }

    @Test
    void theListOfDecisionsHasEachOfThem() throws IOException {
        Path decisions = Page.PROJECT.resolve("docs/adr");
        try (Stream<Path> files = Files.list(decisions)) {
            assertThat(Page.read(decisions.resolve("README.md")).links()).extracting(Page.Link::file)
                    .containsExactlyInAnyOrderElementsOf(
                            files.filter(file -> file.getFileName().toString().matches("\\d{4}-.*\\.md")).toList());
        }
    }
}
