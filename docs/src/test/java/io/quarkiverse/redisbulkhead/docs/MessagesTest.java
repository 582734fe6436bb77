package io.quarkiverse.redisbulkhead.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

/** The messages that pages quote are made of the texts in the sources, apart from names and values. */
class MessagesTest {

    private static final Pattern QUOTES = Pattern.compile("^\\[\\.message]\\n----\\n(.*?)^----$",
            Pattern.MULTILINE | Pattern.DOTALL);
    private static final Pattern SECTION = Pattern.compile("^\\[#(RBH\\d{3})]\\n(.*?)(?=^\\[#RBH|\\z)",
            Pattern.MULTILINE | Pattern.DOTALL);
    private static final Pattern TEXT = Pattern.compile("\"((?:[^\"\\\\\\n]|\\\\.)*)\"");

    /** Shorter texts, such as a comma, may be anywhere. */
    private static final int SHORTEST = 5;

    /** Names and values, and what Redis answers. */
    private static final Pattern NAMES = Pattern
            .compile("(?:Redis answered|Last error|channels?/?[-\\w:]*|[0-9a-f]{12}): [^.]*");

    /** Words of a sentence that the sources do not have. */
    private static final Pattern WORDS = Pattern.compile("(?:\\b[a-z]{2,}\\b[,;:]? ?){4,}");

    @Test
    void quotedMessagesAreThoseOfTheSources() throws IOException {
        List<String> texts = texts();
        for (String page : List.of("errors.adoc", "log-messages.adoc")) {
            for (String quote : quotes(Files.readString(Page.PAGES.resolve(page)))) {
                String rest = NAMES.matcher(quote).replaceAll("|");
                for (String text : texts) {
                    rest = rest.replace(text, "|");
                }
                Matcher unknown = WORDS.matcher(rest);
                assertThat(unknown.find() ? unknown.group() : null).as("words that no source has, in '%s'", quote).isNull();
            }
        }
    }

    @Test
    void eachNumberHasAMessage() throws IOException {
        SECTION.matcher(Files.readString(Page.PAGES.resolve("errors.adoc"))).results()
                .forEach(section -> assertThat(quotes(section.group(2))).as(section.group(1)).isNotEmpty()
                        .allMatch(quote -> quote.startsWith(section.group(1) + " ")));
    }

    private static List<String> quotes(String page) {
        return QUOTES.matcher(page).results().flatMap(block -> block.group(1).lines()).toList();
    }

    /** The texts in the main sources, each as it is after constant parts are joined; the longest first. */
    private static List<String> texts() throws IOException {
        List<String> texts = new ArrayList<>();
        for (String module : List.of("runtime", "deployment")) {
            try (Stream<Path> files = Files.walk(Page.PROJECT.resolve(module + "/src/main/java"))) {
                for (Path file : files.filter(each -> each.toString().endsWith(".java")).toList()) {
                    String source = Files.readString(file).replaceAll("\"\\s*\\+\\s*\"", "");
                    TEXT.matcher(source).results().map(text -> text.group(1).replace("\\\"", "\"").replace("\\\\", "\\"))
                            .flatMap(text -> Stream.of(text.split("%[sd]"))).filter(text -> text.length() >= SHORTEST)
                            .forEach(texts::add);
                }
            }
        }
        texts.sort(Comparator.comparingInt(String::length).reversed());
        return texts;
    }
}
