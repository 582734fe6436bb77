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

/** Pages, Javadoc, comments and messages are in plain modern English, and pages are as short as their kind allows. */
class LanguageTest {

    /** How many words of prose a page may have, by its section in the navigation; reference and evidence have no bound. */
    private static final Map<String, Integer> MOST_WORDS = Map.of("Start", 900, "Concepts", 900, "Recipes", 500, "Operations",
            1_700);
    private static final int README_WORDS = 800;
    private static final int README_LINES = 90;

    /** Phrases that a native speaker would not write here. A space stands for any gap, also one between two lines. */
    private static final List<String> NEVER_RIGHT = List.of("[Ww]ho(?:so|m)?ever", "[Nn]obody", "[Ss]omebody",
            "[Ee]verybody", "anew", "[Ii]n vain", "[Oo]f late", "(?:is|are|was|were|be|been|being) told of",
            "(?:comes?|came) to(?! light| rest| mind| an end)", "that there (?:is|was|are|were) not",
            "[Tt]here (?:is|was|are|were) none", "of (?:which|whom) there (?:is|was|are|were)", "[Ss]hall",
            "resp[.]", "therefor", "thereof", "therein", "hereby", "in so far");

    /** The same in pages, where one word must not have two meanings, and settings do not talk. */
    private static final List<String> NEVER_RIGHT_IN_PAGES = List.of("[Aa]t once", "`[^`]+` says", "says otherwise",
            "told", "no `?BulkheadException", "over all (?:processes|instances)", "[Oo]f an idle", "brings? it",
            "permit certainly", "also if");

    /** A sentence that ends in a colon and a link. */
    private static final Pattern COLON_AND_LINK = Pattern
            .compile("[\\w`)]: (?:xref:[^\\[\\n]+\\[[^\\]\\n]*]|<<[^>\\n]+>>)(?:[.]|$)", Pattern.MULTILINE);

    private static final String GAP = "(?:\\s|\\*|//|--|\"\\s*\\+\\s*\")+";

    private static final Pattern PHRASE = phrases(NEVER_RIGHT);
    private static final Pattern PHRASE_IN_PAGES = phrases(NEVER_RIGHT_IN_PAGES);

    private static final Pattern SOURCE = Pattern.compile(".*\\.(java|kt|lua|js|html|properties|adoc|md|ya?ml)");

    private static Pattern phrases(List<String> all) {
        return Pattern.compile("(?<!\\w)(?:" + String.join("|", all).replace(" ", GAP) + ")(?!\\w)");
    }

    @Test
    void textsContainNoBannedPhrases() throws IOException {
        List<String> found = new ArrayList<>();
        for (Path file : texts()) {
            found.addAll(find(PHRASE, file));
        }
        for (Page page : Page.all()) {
            if (!page.file().startsWith(Page.PROJECT.resolve("docs/adr"))
                    && !page.file().startsWith(Page.PAGES.resolve("includes"))) {
                found.addAll(find(PHRASE_IN_PAGES, page.file()));
                found.addAll(find(COLON_AND_LINK, page.file()));
            }
        }
        assertThat(found).as("phrases to replace by plain English").isEmpty();
    }

    private static List<String> find(Pattern phrase, Path file) throws IOException {
        String text = Files.readString(file);
        return phrase.matcher(text).results().map(found -> {
            long line = text.substring(0, found.start()).lines().count();
            return "%s:%d: %s".formatted(Page.PROJECT.relativize(file), Math.max(line, 1), found.group());
        }).toList();
    }

    @Test
    void pagesAreShort() throws IOException {
        Map<String, Integer> sections = new TreeMap<>();
        List<String> tooLong = new ArrayList<>();
        String section = "";
        for (String line : Files.readString(Page.PAGES.resolveSibling("nav.adoc")).lines().toList()) {
            section = line.startsWith("* ") ? line.substring(2) : section;
            Matcher page = Pattern.compile("xref:([^\\[]+)\\[").matcher(line);
            if (page.find()) {
                int words = new AsciidocPage(Page.PAGES.resolve(page.group(1))).words();
                sections.merge(section, words, Integer::sum);
                if (words > MOST_WORDS.getOrDefault(section, Integer.MAX_VALUE)) {
                    tooLong.add("%s: %,d words".formatted(page.group(1), words));
                }
            }
        }
        sections.forEach((each, count) -> System.out.printf("%,7d words: %s%n", count, each));
        assertThat(tooLong).as("pages that are too long for their kind, which is one of %s", MOST_WORDS).isEmpty();
        assertThat(sections).containsKeys(MOST_WORDS.keySet().toArray(String[]::new));
    }

    @Test
    void theReadmeIsShort() throws IOException {
        String readme = Files.readString(Page.PROJECT.resolve("README.md"));
        assertThat(readme.lines()).hasSizeLessThanOrEqualTo(README_LINES);
        assertThat(readme.split("\\s+")).hasSizeLessThanOrEqualTo(README_WORDS);
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
}
