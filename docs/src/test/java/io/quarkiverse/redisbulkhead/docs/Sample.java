package io.quarkiverse.redisbulkhead.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Code that the build compiles and runs, as pages show it: a region between {@code tag::name[]} and {@code end::name[]}, or a
 * whole file without its package. Javadoc is left out, because the page says what there is to say.
 */
final class Sample {

    private static final Pattern JAVADOC = Pattern.compile("^ */\\*\\*.*?\\*/\\n", Pattern.MULTILINE | Pattern.DOTALL);
    private static final Pattern PACKAGE = Pattern.compile("\\Apackage .*;\\n+");

    private Sample() {
    }

    /**
     * Reads a sample.
     *
     * @param source the file within the project, and {@code #name} for a region of it
     */
    static String read(String source) throws IOException {
        int hash = source.indexOf('#');
        String text = Files.readString(Page.PROJECT.resolve(hash < 0 ? source : source.substring(0, hash)));
        String shown = hash < 0 ? PACKAGE.matcher(text).replaceFirst("") : region(text, source.substring(hash + 1));
        return JAVADOC.matcher(shown).replaceAll("").stripTrailing().stripIndent() + "\n";
    }

    private static String region(String text, String name) {
        List<MatchResult> parts = Pattern.compile("^ *(?://|#) tag::%1$s\\[]\\n(.*?)^ *(?://|#) end::%1$s\\[]$".formatted(name),
                Pattern.MULTILINE | Pattern.DOTALL).matcher(text).results().toList();
        if (parts.isEmpty()) {
            throw new IllegalArgumentException("There is no region " + name);
        }
        return parts.stream().map(part -> part.group(1)).collect(Collectors.joining("\n"));
    }
}
