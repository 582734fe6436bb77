package io.quarkiverse.redisbulkhead.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.runtime.message.LogMessage;

/** The messages that pages quote are made of the texts in the sources, and each message that is logged has a section. */
class MessagesTest {

    private static final Pattern QUOTES = Pattern.compile("^\\[\\.message]\\n----\\n(.*?)^----$",
            Pattern.MULTILINE | Pattern.DOTALL);
    private static final Pattern SECTION = Pattern.compile("^\\[#(RBH\\d{3})]\\n(.*?)(?=^\\[#RBH|\\z)",
            Pattern.MULTILINE | Pattern.DOTALL);
    private static final Pattern LOGGED = Pattern.compile("^\\[#([\\w-]+)]\\n== (.*?)(?=^\\[#|\\z)",
            Pattern.MULTILINE | Pattern.DOTALL);
    private static final Pattern TEXT = Pattern.compile("\"((?:[^\"\\\\\\n]|\\\\.)*)\"");

    private static final String SITE = "https://docs.quarkiverse.io/quarkus-redis-bulkhead/dev/";
    private static final Pattern LOG_CALL = Pattern.compile("LOG\\s*\\.(?:warn|error|fatal)[fv]?\\([^;]*;");
    private static final Pattern MEMBER = Pattern.compile("LogMessage\\.([A-Z_]+)");

    /** Warnings that have the address of the page of errors already. */
    private static final String WITH_NUMBERS = "LOG.warn(warning);";

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

    @Test
    void eachLoggedMessageHasASection() throws IOException {
        List<MatchResult> sections = LOGGED.matcher(Files.readString(Page.PAGES.resolve("log-messages.adoc"))).results()
                .toList();
        assertThat(sections).extracting(section -> "See " + SITE + "log-messages.html#" + section.group(1))
                .containsExactlyElementsOf(Stream.of(LogMessage.values()).map(LogMessage::toString).toList());
        assertThat(sections).allSatisfy(section -> assertThat(quotes(section.group(2))).as(section.group(1)).isNotEmpty());
    }

    @Test
    void eachLoggedMessageHasTheAddressOfItsSection() throws IOException {
        Set<String> used = new TreeSet<>();
        for (String source : sources("runtime", "runtime-dev", "deployment", "test-support")) {
            String code = TEXT.matcher(source).replaceAll("");
            assertThat(LOG_CALL.matcher(code).results().map(MatchResult::group)).allMatch(
                    call -> MEMBER.matcher(call).find() || call.endsWith(", about);") || call.equals(WITH_NUMBERS));
            MEMBER.matcher(code).results().forEach(member -> used.add(member.group(1)));
        }
        assertThat(used).containsExactlyInAnyOrderElementsOf(Stream.of(LogMessage.values()).map(LogMessage::name).toList());
    }

    private static List<String> quotes(String page) {
        return QUOTES.matcher(page).results().flatMap(block -> block.group(1).lines()).toList();
    }

    /** The texts in the main sources, each as it is after constant parts are joined, up to an address; the longest first. */
    private static List<String> texts() throws IOException {
        List<String> texts = new ArrayList<>();
        for (String source : sources("runtime", "deployment", "test-support")) {
            TEXT.matcher(source.replaceAll("\"\\s*\\+\\s*\"", "")).results()
                    .map(text -> text.group(1).replace("\\\"", "\"").replace("\\\\", "\\"))
                    .flatMap(text -> Stream.of(text.split("%(?:\\d\\$)?[sd]"))).map(text -> text.replaceFirst("\\. $", ""))
                    .filter(text -> text.length() >= SHORTEST)
                    .forEach(texts::add);
        }
        texts.sort(Comparator.comparingInt(String::length).reversed());
        return texts;
    }

    private static List<String> sources(String... modules) throws IOException {
        List<String> sources = new ArrayList<>();
        for (String module : modules) {
            try (Stream<Path> files = Files.walk(Page.PROJECT.resolve(module + "/src/main/java"))) {
                for (Path file : files.filter(each -> each.toString().endsWith(".java")).toList()) {
                    sources.add(Files.readString(file));
                }
            }
        }
        return sources;
    }
}
