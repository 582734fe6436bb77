package io.quarkiverse.redisbulkhead.deployment.validation;

import java.util.List;

import org.assertj.core.api.Assertions;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;

/**
 * The build reports all mistakes of an application together, so one build shows what it says about each kind; also about
 * Trap 15 and Trap 43.
 */
class ReportedMistakesTest {

    private static final List<Mistakes> ALL = List.of(BeanMistakes.ALL, CallWeightMistakes.ALL,
            DefinitionMistakes.ALL, EventLoopMistakes.ALL, InterceptionMistakes.ALL, KeyOfBulkheadMistakes.ALL,
            KeyResolverBeanMistakes.ALL, KeyTypeMistakes.ALL,
            KeyedEverywhereMistakes.ALL, ObservableEndMistakes.ALL, OnFullMistakes.ALL, OneKeyMistakes.ALL,
            OverrideMistakes.ALL);

    @RegisterExtension
    static final QuarkusUnitTest APPLICATION = new QuarkusUnitTest()
            .withApplicationRoot(jar -> ALL.forEach(mistakes -> jar.addClasses(mistakes.classes())))
            .overrideConfigKey("quarkus.redis-bulkhead.\"suspending\".on-full", "skip")
            .overrideConfigKey("quarkus.redis-bulkhead.\"value\".on-full", "skip")
            .overrideConfigKey("quarkus.redis-bulkhead.\"later\".on-full", "skip")
            .overrideConfigKey("quarkus.redis-bulkhead.\"nothing\".on-full", "skip")
            .overrideConfigKey("quarkus.redis-bulkhead.\"rejecting\".on-full", "reject")
            .overrideConfigKey("quarkus.redis-bulkhead.\"typo\".on-full", "skipp")
            .overrideConfigKey("quarkus.redis-bulkhead.\"overrun\".permits", "-1")
            .overrideConfigKey("quarkus.redis-bulkhead.overruns.permits", "3")
            .assertException(ReportedMistakesTest::reportsEach);

    @Test
    void buildFails() {
        Assertions.fail();
    }

    private static void reportsEach(Throwable thrown) {
        // The names of all kinds.
        List<String> report = Mistakes.reportedBy(thrown).stream()
                .map(line -> line.replaceFirst("(Declared: \\w+), .* and \\d+ more", "$1 and others")).toList();
        SoftAssertions.assertSoftly(each -> {
            for (Mistakes mistakes : ALL) {
                each.assertThat(mistakes.in(report, ALL)).as(mistakes.owner().getSimpleName())
                        .containsExactly(mistakes.lines());
            }
            each.assertThat(report).as("nothing else").hasSize(ALL.stream().mapToInt(kind -> kind.lines().length).sum());
        });
    }
}
