package io.quarkiverse.redisbulkhead.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

/** What the documents link to is there: files, images, and headings of documents. */
class DocumentLinksTest {

    private static final Path PROJECT = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
    private static final Pattern HEADING = Pattern.compile("^#+ (.+)$", Pattern.MULTILINE);
    private static final Pattern CODE = Pattern.compile("^ *```.*?^ *```", Pattern.MULTILINE | Pattern.DOTALL);

    @Test
    void relativeLinksLeadSomewhere() throws IOException {
        List<String> broken = new ArrayList<>();
        for (Path document : documents()) {
            for (String link : links(document)) {
                if (!leadsSomewhere(document, link)) {
                    broken.add(PROJECT.relativize(document) + ": " + link);
                }
            }
        }
        assertThat(broken).isEmpty();
    }

    private static List<Path> documents() throws IOException {
        try (Stream<Path> docs = Files.walk(PROJECT.resolve("docs"))) {
            return Stream.concat(Stream.of(PROJECT.resolve("README.md")), docs)
                    .filter(file -> file.toString().endsWith(".md") && !file.toString().contains("/target/")).toList();
        }
    }

    private static List<String> links(Path document) throws IOException {
        return LINK.matcher(withoutCode(document)).results().map(link -> link.group(1))
                .filter(link -> !link.matches("[a-z]+:.*")).toList();
    }

    private static boolean leadsSomewhere(Path document, String link) throws IOException {
        int hash = link.indexOf('#');
        String file = hash < 0 ? link : link.substring(0, hash);
        Path target = file.isEmpty() ? document : document.resolveSibling(file);
        return Files.exists(target)
                && (hash < 0 || !target.toString().endsWith(".md") || headings(target).contains(link.substring(hash + 1)));
    }

    /** As the pages of the repository name them. */
    private static Set<String> headings(Path document) throws IOException {
        Matcher headings = HEADING.matcher(withoutCode(document));
        return headings.results().map(heading -> heading.group(1).toLowerCase(Locale.ROOT)
                .replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-')).collect(Collectors.toSet());
    }

    private static String withoutCode(Path document) throws IOException {
        return CODE.matcher(Files.readString(document)).replaceAll("");
    }
}
