package io.quarkiverse.redisbulkhead.docs;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A page for Antora. Only anchors that are written down count: those that are made from headings differ from tool to tool. */
final class AsciidocPage extends Page {

    private static final Path IMAGES = PROJECT.resolve("docs/modules/ROOT/assets/images");
    private static final Pattern BLOCK = Pattern.compile("^----\\n(.*?)^----$", Pattern.MULTILINE | Pattern.DOTALL);
    private static final Pattern COMMENT = Pattern.compile("^//.*$", Pattern.MULTILINE);
    private static final Pattern MACRO = Pattern.compile("\\b(xref:|link:|image::?|include::)([^\\[\\s]+)\\[");
    private static final Pattern SHORT_REFERENCE = Pattern.compile("<<([^,>]+)[,>]");
    private static final Pattern ANCHOR = Pattern.compile("^\\[(?:#|id=\"?)([\\w.-]+)[^\\]]*]$|\\[\\[([\\w.-]+)]]",
            Pattern.MULTILINE);
    private static final String PROJECT_ATTRIBUTE = "{project}/";
    private static final String ATTACHMENTS_ATTRIBUTE = "{attachmentsdir}/";

    AsciidocPage(Path file) throws IOException {
        super(file);
    }

    @Override
    List<Link> links() {
        String prose = prose();
        Stream<Link> macros = MACRO.matcher(prose).results().filter(macro -> !macro.group(2).matches("[a-z]+://.*"))
                .map(this::link);
        Stream<Link> references = SHORT_REFERENCE.matcher(prose).results().map(reference -> reference.group(1))
                .map(anchor -> Link.to("<<" + anchor + ">>", file(), anchor));
        return Stream.concat(macros, references).toList();
    }

    private Link link(MatchResult macro) {
        String target = macro.group(2);
        int hash = target.indexOf('#');
        String path = hash < 0 ? target : target.substring(0, hash);
        String anchor = hash < 0 ? "" : target.substring(hash + 1);
        return Link.to(macro.group(), path.isEmpty() ? file() : resolve(macro.group(1), path), anchor);
    }

    private Path resolve(String macro, String path) {
        if (path.startsWith(PROJECT_ATTRIBUTE)) {
            return PROJECT.resolve(path.substring(PROJECT_ATTRIBUTE.length()));
        }
        if (path.startsWith(ATTACHMENTS_ATTRIBUTE)) {
            return PAGES.resolveSibling("attachments").resolve(path.substring(ATTACHMENTS_ATTRIBUTE.length()));
        }
        if (macro.startsWith("image")) {
            return IMAGES.resolve(path);
        }
        return (file().endsWith("nav.adoc") ? PAGES : file().getParent()).resolve(path);
    }

    @Override
    Set<String> anchors() throws IOException {
        Set<String> anchors = ANCHOR.matcher(prose()).results()
                .map(anchor -> anchor.group(1) == null ? anchor.group(2) : anchor.group(1)).collect(Collectors.toSet());
        Set<String> all = new HashSet<>(anchors);
        for (Link link : links()) {
            if (link.written().startsWith("include")) {
                all.addAll(Page.read(link.file()).anchors());
            }
        }
        return all;
    }

    @Override
    List<CodeBlock> blocks(String language) {
        Matcher blocks = Pattern.compile("(?:^// snippet: (\\S+)\\n)?^\\[source,%s]\\n----\\n".formatted(language),
                Pattern.MULTILINE).matcher(text());
        List<CodeBlock> found = new ArrayList<>();
        while (blocks.find()) {
            String code = text().substring(blocks.end(), text().indexOf("----\n", blocks.end()));
            found.add(new CodeBlock(Optional.ofNullable(blocks.group(1)), blocks.end(), code));
        }
        return found;
    }

    /** The words that are read from the beginning to the end: without code, pictures, anchors and the addresses of links. */
    int words() {
        String read = prose().replaceAll("(?m)^(?:\\[.*]|:[\\w-]+:.*|(?:ifndef|endif|include|image):.*)$", "")
                .replaceAll("(?:xref:|link:|https?://)[^\\[\\s]*\\[", "").replace('|', ' ');
        return (int) Pattern.compile("\\S*[\\p{L}\\d]\\S*").matcher(read).results().count();
    }

    private String prose() {
        return COMMENT.matcher(BLOCK.matcher(text()).replaceAll("")).replaceAll("");
    }
}
