package io.quarkiverse.redisbulkhead.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

/** Antora, where it is installed, builds the site without a warning, and no link within the site is dead. */
class AntoraTest {

    private static final Path TARGET = Page.PROJECT.resolve("docs/target/antora");
    private static final Path SITE = TARGET.resolve("site");
    private static final Pattern REFERENCE = Pattern.compile("(?:href|src)=\"([^\"]+)\"");
    private static final Pattern PLACE = Pattern.compile(" (?:id|name)=\"([^\"]+)\"");

    @Test
    void theSiteHasNoWarningAndNoDeadLink() throws IOException, InterruptedException {
        assumeTrue(Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, "antora"))),
                "Antora is not installed: npm install --global antora");
        delete(TARGET);
        copy(Page.PROJECT.resolve("docs/src/test/antora"), TARGET);
        copy(Page.PROJECT.resolve("docs/modules"), TARGET.resolve("pages/modules"));
        Files.copy(Page.PROJECT.resolve("docs/antora.yml"), TARGET.resolve("pages/antora.yml"));
        // Antora reads from a repository. A source archive or a linked worktree has none that it knows.
        git("init", "-q");
        git("add", ".");
        git("-c", "user.name=build", "-c", "user.email=build@example.com", "commit", "-q", "-m", "Pages");

        assertThat(run(TARGET, "antora", "playbook.yml")).as("output of Antora").isEmpty();
        assertThat(deadLinks()).isEmpty();
        assertThat(SITE.resolve("quarkus-redis-bulkhead/dev/errors.html")).content().contains("id=\"RBH001\"");
    }

    private static void git(String... words) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("git"));
        command.addAll(List.of(words));
        run(TARGET.resolve("pages"), command.toArray(String[]::new));
    }

    private static List<String> deadLinks() throws IOException {
        Map<Path, Set<String>> places = new HashMap<>();
        List<String> dead = new ArrayList<>();
        try (Stream<Path> files = Files.walk(SITE)) {
            for (Path page : files.filter(file -> file.toString().endsWith(".html")).toList()) {
                for (String link : find(REFERENCE, page)) {
                    if (!link.matches("(?:[a-z]+:|\\$\\{).*") && !leadsSomewhere(page, link, places)) {
                        dead.add(SITE.relativize(page) + ": " + link);
                    }
                }
            }
        }
        return dead;
    }

    private static boolean leadsSomewhere(Path page, String link, Map<Path, Set<String>> places) throws IOException {
        String path = link.replaceFirst("[#?].*", "");
        String anchor = link.contains("#") ? link.substring(link.indexOf('#') + 1) : "";
        Path file = path.isEmpty() ? page : page.resolveSibling(path).normalize();
        if (!Files.exists(file)) {
            return false;
        }
        if (!places.containsKey(file)) {
            places.put(file, file.toString().endsWith(".html") ? find(PLACE, file) : Set.of());
        }
        return anchor.isEmpty() || places.get(file).contains(anchor);
    }

    private static Set<String> find(Pattern pattern, Path file) throws IOException {
        return pattern.matcher(Files.readString(file)).results().map(found -> found.group(1)).collect(Collectors.toSet());
    }

    private static String run(Path folder, String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as("%s: %s", String.join(" ", command), output).isZero();
        return output;
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Path copy = to.resolve(from.relativize(file));
                if (Files.isDirectory(file)) {
                    Files.createDirectories(copy);
                } else {
                    Files.copy(file, copy);
                }
            }
        }
    }

    private static void delete(Path folder) throws IOException {
        if (Files.exists(folder)) {
            try (Stream<Path> files = Files.walk(folder)) {
                files.sorted((one, other) -> other.compareTo(one)).forEach(file -> assertThat(file.toFile().delete()).isTrue());
            }
        }
    }
}
