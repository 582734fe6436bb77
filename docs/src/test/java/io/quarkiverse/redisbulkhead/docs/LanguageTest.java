package io.quarkiverse.redisbulkhead.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

/** Pages, Javadoc, comments and messages are in plain modern English, and the guide is short. */
class LanguageTest {

    private static final int GUIDE_WORDS = 17_000;

    /** Phrases that a native speaker would not write here. A space stands for any gap, also one between two lines. */
    private static final List<String> NEVER_RIGHT = List.of("[Ww]ho(?:so|m)?ever", "[Nn]obody", "[Ss]omebody",
            "[Ee]verybody", "anew", "[Ii]n vain", "[Oo]f late", "(?:is|are|was|were|be|been|being) told of",
            "(?:comes?|came) to(?! light| rest| mind| an end)", "that there (?:is|was|are|were) not",
            "[Tt]here (?:is|was|are|were) none", "of (?:which|whom) there (?:is|was|are|were)", "[Ss]hall",
            "resp[.]", "therefor", "thereof", "therein", "hereby", "in so far");

    private static final String GAP = "(?:\\s|\\*|//|--|\"\\s*\\+\\s*\")+";

    private static final Pattern PHRASE = Pattern
            .compile("(?<!\\w)(?:" + String.join("|", NEVER_RIGHT).replace(" ", GAP) + ")(?!\\w)");

    private static final Pattern SOURCE = Pattern.compile(".*\\.(java|kt|lua|js|html|properties|adoc|md|ya?ml)");

    @Test
    void textsContainNoBannedPhrases() throws IOException {
        List<String> found = new ArrayList<>();
        for (Path file : texts()) {
            String name = Page.PROJECT.relativize(file).toString();
            String text = Files.readString(file);
            Matcher phrases = PHRASE.matcher(text);
            while (phrases.find()) {
                long line = text.substring(0, phrases.start()).lines().count();
                found.add("%s:%d: %s".formatted(name, Math.max(line, 1), phrases.group()));
            }
        }
        assertThat(found).as("phrases to replace by plain English").isEmpty();
    }

    @Test
    void theGuideIsShort() throws IOException {
        Map<String, Integer> words = new TreeMap<>();
        String navigation = Files.readString(Page.PAGES.resolveSibling("nav.adoc"));
        String section = "guide";
        for (String line : navigation.lines().toList()) {
            section = switch (line) {
                case "* Reference" -> "reference";
                case "* xref:internals.adoc[Internals]" -> "internals";
                default -> line.startsWith("* ") ? "guide" : section;
            };
            Matcher page = Pattern.compile("xref:([^\\[]+)\\[").matcher(line);
            if (page.find()) {
                words.merge(section, words(Page.PAGES.resolve(page.group(1))), Integer::sum);
            }
        }
        words.put("generated reference of the configuration", words(files(Page.PAGES.resolve("includes"), Page::isAsciidoc)));
        words.put("decision records", words(files(Page.PROJECT.resolve("docs/adr"), file -> true)));
        words.put("README", words(Page.PROJECT.resolve("README.md")));
        words.put("CONTRIBUTING", words(Page.PROJECT.resolve("CONTRIBUTING.md")));
        words.put("CHANGELOG", words(Page.PROJECT.resolve("CHANGELOG.md")));
        words.forEach((each, count) -> System.out.printf("%,7d words: %s%n", count, each));
        assertThat(words.get("guide")).as("words of the guide").isLessThanOrEqualTo(GUIDE_WORDS);
        assertThat(words).containsKeys("reference", "internals");
    }

    /** Everything that was written by hand: pages, and the sources of all modules, with their tests, but not this list. */
    private static List<Path> texts() throws IOException {
        List<Path> texts = new ArrayList<>(files(Page.PAGES.getParent(), file -> true));
        for (Page page : Page.all()) {
            texts.add(page.file());
        }
        try (Stream<Path> modules = Files.find(Page.PROJECT, 3, (file, attributes) -> file.endsWith("pom.xml"))) {
            for (Path module : modules.toList()) {
                texts.addAll(files(module.resolveSibling("src"), file -> true));
            }
        }
        return texts.stream().filter(file -> SOURCE.matcher(file.toString()).matches() && !file.endsWith("LanguageTest.java"))
                .distinct().sorted().toList();
    }

    private static List<Path> files(Path folder, Predicate<Path> wanted) throws IOException {
        if (!Files.exists(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile).filter(wanted).map(Path::normalize).toList();
        }
    }

    private static int words(List<Path> files) throws IOException {
        int words = 0;
        for (Path file : files) {
            words += words(file);
        }
        return words;
    }

    private static int words(Path file) throws IOException {
        return (int) Pattern.compile("\\S+").matcher(Files.readString(file)).results().count();
    }
}
