package io.quarkiverse.redisbulkhead.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests name each trap, and the traps page lists these tests. */
class TrapsTest {

    private static final Path PROJECT = Path.of("..").toAbsolutePath().normalize();
    private static final String TEST_SOURCES = "/src/test/java/";
    private static final Pattern ROW = Pattern.compile("^\\| (\\d+) \\|.*\\|([^|]+)$", Pattern.MULTILINE);
    private static final Pattern CLASS = Pattern.compile("`(\\w+)`");

    /** The sources by test class name; several classes may share a name. */
    private static Map<String, String> sources;

    @BeforeAll
    static void read() throws IOException {
        try (Stream<Path> files = Files.walk(PROJECT)) {
            sources = files.filter(file -> file.toString().contains(TEST_SOURCES) && file.toString().endsWith(".java"))
                    .collect(Collectors.toMap(file -> file.getFileName().toString().replace(".java", ""), TrapsTest::text,
                            String::concat));
        }
    }

    @ParameterizedTest
    @MethodSource("numbers")
    void trapIsNamedByATest(int number) {
        assertThat(sources.values()).anyMatch(source -> names(source, number));
    }

    @Test
    void pageListsAllTraps() throws IOException {
        assertThat(rows()).extracting(row -> Integer.parseInt(row.group(1)))
                .containsExactlyElementsOf(numbers().boxed().toList());
    }

    @Test
    void pageListsTestsThatNameTheTrap() throws IOException {
        for (MatchResult row : rows()) {
            int number = Integer.parseInt(row.group(1));
            assertThat(CLASS.matcher(row.group(2)).results().map(test -> test.group(1))).as("Trap %d", number).isNotEmpty()
                    .allMatch(test -> names(sources.getOrDefault(test, ""), number));
        }
    }

    static IntStream numbers() {
        return IntStream.rangeClosed(1, 55);
    }

    private static List<MatchResult> rows() throws IOException {
        return ROW.matcher(Files.readString(PROJECT.resolve("docs/modules/ROOT/pages/traps.adoc"))).results().toList();
    }

    private static boolean names(String source, int number) {
        return Pattern.compile("\\bTrap " + number + "\\b").matcher(source).find();
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
