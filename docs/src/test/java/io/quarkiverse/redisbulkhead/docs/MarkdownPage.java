package io.quarkiverse.redisbulkhead.docs;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A page that is read beside the sources only. Its headings are anchors, as forges name them. */
final class MarkdownPage extends Page {

    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
    private static final Pattern HEADING = Pattern.compile("^#+ (.+)$", Pattern.MULTILINE);
    private static final Pattern BLOCK = Pattern.compile("^ *```.*?^ *```", Pattern.MULTILINE | Pattern.DOTALL);

    MarkdownPage(Path file) throws IOException {
        super(file);
    }

    @Override
    List<Link> links() {
        return LINK.matcher(prose()).results().map(link -> link.group(1)).filter(link -> !link.matches("[a-z]+:.*"))
                .map(this::link).toList();
    }

    private Link link(String written) {
        int hash = written.indexOf('#');
        String path = hash < 0 ? written : written.substring(0, hash);
        return Link.to(written, path.isEmpty() ? file() : file().resolveSibling(path),
                hash < 0 ? "" : written.substring(hash + 1));
    }

    @Override
    Set<String> anchors() {
        return HEADING.matcher(prose()).results().map(heading -> heading.group(1).toLowerCase(Locale.ROOT)
                .replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-')).collect(Collectors.toSet());
    }

    @Override
    List<CodeBlock> blocks(String language) {
        Matcher blocks = Pattern.compile("(?:^<!-- snippet: (\\S+) -->\\n)?^```%s\\n".formatted(language), Pattern.MULTILINE)
                .matcher(text());
        List<CodeBlock> found = new ArrayList<>();
        while (blocks.find()) {
            String code = text().substring(blocks.end(), text().indexOf("```\n", blocks.end()));
            found.add(new CodeBlock(Optional.ofNullable(blocks.group(1)), blocks.end(), code));
        }
        return found;
    }

    private String prose() {
        return BLOCK.matcher(text()).replaceAll("");
    }
}
