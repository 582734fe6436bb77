package io.quarkiverse.redisbulkhead.runtime.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

/** Each code has an explanation and a test. */
class MessageCodeTest {

    private static final Path PROJECT = Path.of("").toAbsolutePath().getParent();

    @Test
    void errorsPageListsExactlyTheseCodes() throws IOException {
        assertThat(Files.readAllLines(PROJECT.resolve("docs/modules/ROOT/pages/errors.adoc")))
                .filteredOn(line -> line.startsWith("== "))
                .allMatch(heading -> heading.matches("== RBH\\d{3} \\S.*"))
                .extracting(heading -> heading.substring(3, 9))
                .containsExactlyElementsOf(Stream.of(MessageCode.values()).map(MessageCode::name).toList());
    }

    /** The site has the pages of the component that {@code antora.yml} names. */
    @Test
    void messagesEndWithTheAddressOfTheirAnchor() throws IOException {
        Path docs = PROJECT.resolve("docs");
        assertThat(MessageCode.whereExplained(EnumSet.of(MessageCode.RBH023, MessageCode.RBH005))).isEqualTo(
                "See https://docs.quarkiverse.io/quarkus-redis-bulkhead/dev/errors.html#RBH005, #RBH023");
        assertThat(Files.readString(docs.resolve("antora.yml"))).contains("name: quarkus-redis-bulkhead\n", "version: dev\n");
        String page = Files.readString(docs.resolve("modules/ROOT/pages/errors.adoc"));
        assertThat(MessageCode.values()).allMatch(code -> page.contains("[#" + code + "]\n== " + code + " "));
    }

    @Test
    void eachCodeHasATest() throws IOException {
        String tests = String.join("\n", sources(PROJECT.resolve("runtime/src/test")))
                + String.join("\n", sources(PROJECT.resolve("deployment/src/test")));
        assertThat(EnumSet.allOf(MessageCode.class)).allMatch(code -> tests.contains("\"" + code.name() + " "));
    }

    private static List<String> sources(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(".java")).map(MessageCodeTest::text).toList();
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
