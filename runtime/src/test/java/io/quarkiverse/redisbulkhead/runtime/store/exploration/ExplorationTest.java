package io.quarkiverse.redisbulkhead.runtime.store.exploration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Explores the protocol with the real scripts. {@code -Dexploration=long} explores more, as the profile {@code weekly} does,
 * {@code -Dexploration=large} even more, and {@code -Dexploration.depth} limits the number of moves. The figures go to
 * standard output and to {@code target}. model.adoc must state the same numbers of states.
 */
class ExplorationTest {

    private static final int DEEPEST = Integer.getInteger("exploration.depth", 1_000);
    private static final Path REPORT = Path.of("target", "exploration.md");
    private static final Path DOCUMENT = Path.of("../docs/modules/ROOT/pages/model.adoc");

    private static final List<String> ROWS = new ArrayList<>(
            List.of("| what happens | states | moves | deepest | to the end | seconds |", "|---|---|---|---|---|---|"));

    static Stream<Setting> settings() {
        List<Setting> settings = new ArrayList<>(Settings.SMALL);
        String most = System.getProperty("exploration", "small");
        if (!most.equals("small")) {
            settings.addAll(Settings.LONG);
        }
        if (most.equals("large")) {
            settings.addAll(Settings.LARGE);
        }
        return settings.stream();
    }

    @AfterAll
    static void publish() throws IOException {
        String table = String.join("\n", ROWS) + "\n";
        System.out.println(table);
        Files.createDirectories(REPORT.getParent());
        Files.writeString(REPORT, table);
    }

    @ParameterizedTest
    @MethodSource("settings")
    void noInterleavingBreaksARule(Setting setting) throws IOException {
        Exploration found = Explorer.explore(new ProtocolModel(setting), DEEPEST);

        ROWS.add("| " + String.join(" | ", setting.name(), "" + found.states(), "" + found.moves(), "" + found.depth(),
                found.complete() ? "yes" : "no", String.format("%.1f", found.took().toMillis() / 1000d)) + " |");
        assertThat(found.counterexample().map(Counterexample::toString)).isEmpty();
        assertThat(found.complete() || found.depth() == DEEPEST).as("explored completely or to the maximum depth").isTrue();
        if (found.complete() && !Settings.LARGE.contains(setting)) {
            assertThat(documented(setting)).as("model.adoc about: " + setting)
                    .isEqualTo(found.states() + " states");
        }
    }

    private static String documented(Setting setting) throws IOException {
        Matcher row = Pattern.compile("^\\| " + Pattern.quote(setting.name()) + " \\| (\\d+)$", Pattern.MULTILINE)
                .matcher(Files.readString(DOCUMENT));
        return row.find() ? row.group(1) + " states" : "nothing";
    }

    /** The explorer must find each of these defects. */
    @ParameterizedTest
    @EnumSource
    void brokenScriptIsFound(Mutation mutation) {
        Exploration found = Explorer.explore(new ProtocolModel(mutation.setting, mutation.change()), 20);

        assertThat(found.counterexample()).hasValueSatisfying(counterexample -> {
            System.out.println(mutation + " found in " + counterexample.steps().size() + " moves: " + counterexample.rule());
            assertThat(counterexample.rule()).matches("[" + mutation.guarantees + "]: .*");
        });
    }

    @Test
    void counterexampleListsTheStepsInOrder() {
        Exploration found = Explorer.explore(
                new ProtocolModel(Mutation.LIMIT_OFF_BY_ONE.setting, Mutation.LIMIT_OFF_BY_ONE.change()), 20);

        assertThat(found.counterexample().orElseThrow().toString()).startsWith("1: more permits are held than the limit")
                .contains("1. A requests a permit").contains("-> GRANTED").contains("=> ");
    }
}
