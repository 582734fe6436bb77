package io.quarkiverse.redisbulkhead.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A page of the documentation, in either of its two languages. */
abstract class Page {

    static final Path PROJECT = Path.of("..").toAbsolutePath().normalize();
    static final Path PAGES = PROJECT.resolve("docs/modules/ROOT/pages");

    /**
     * What a page refers to.
     *
     * @param written as the page has it, for messages
     * @param file the file that is meant
     * @param anchor the place in that file; empty for its beginning
     */
    record Link(String written, Path file, String anchor) {

        static Link to(String written, Path file, String anchor) {
            return new Link(written, file.normalize(), anchor);
        }
    }

    private final Path file;
    private final String text;

    Page(Path file) throws IOException {
        this.file = file;
        this.text = Files.readString(file);
    }

    /** The pages that people read: those beside the sources, those for Antora, and templates of the forge. */
    static List<Page> all() throws IOException {
        try (Stream<Path> here = Files.list(PROJECT);
                Stream<Path> docs = Files.walk(PROJECT.resolve("docs"));
                Stream<Path> templates = Files.walk(PROJECT.resolve(".github"))) {
            Stream<Path> files = Stream.of(here, docs, templates).flatMap(folder -> folder).map(Path::normalize)
                    .filter(file -> !PROJECT.relativize(file).toString().contains("target/"));
            return readAll(files.filter(file -> isMarkdown(file) || isAsciidoc(file)).sorted().toList());
        }
    }

    static Page read(Path file) throws IOException {
        return isAsciidoc(file) ? new AsciidocPage(file) : new MarkdownPage(file);
    }

    private static List<Page> readAll(List<Path> files) throws IOException {
        List<Page> pages = new ArrayList<>();
        for (Path file : files) {
            pages.add(read(file));
        }
        return pages;
    }

    static boolean isAsciidoc(Path file) {
        return file.toString().endsWith(".adoc");
    }

    private static boolean isMarkdown(Path file) {
        return file.toString().endsWith(".md");
    }

    /** What the page refers to within this project. */
    abstract List<Link> links();

    /** The places of the page that others may refer to. */
    abstract Set<String> anchors() throws IOException;

    /** The blocks of code in a language, in their order; those that are written as all of them should be. */
    abstract List<CodeBlock> blocks(String language);

    /** How many blocks of code in a language begin on the page, in whatever way they are written. */
    final int beginsOfBlocks(String language) {
        return (int) Pattern
                .compile("^[ \\t>*.-]*(?:\\[[^\\]\\n]*,\\s*(?:lang\\w*=)?\"?|[`~]{3,} *)%s(?![\\w-])".formatted(language),
                        Pattern.MULTILINE | Pattern.CASE_INSENSITIVE)
                .matcher(text).results().count();
    }

    Path file() {
        return file;
    }

    String text() {
        return text;
    }

    /** The page as messages name it. */
    @Override
    public String toString() {
        return PROJECT.relativize(file).toString();
    }
}
