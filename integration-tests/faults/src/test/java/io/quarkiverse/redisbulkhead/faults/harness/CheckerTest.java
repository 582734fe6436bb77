package io.quarkiverse.redisbulkhead.faults.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.quarkiverse.redisbulkhead.faults.harness.Checker.Verdict;
import io.quarkiverse.redisbulkhead.faults.harness.Evidence.DataLoss;
import io.quarkiverse.redisbulkhead.faults.harness.Evidence.Pause;
import io.quarkiverse.redisbulkhead.faults.harness.Evidence.Silence;

/**
 * The checker finds each violation, and nothing else. In a history, {@code a1 0-10} is an execution of process {@code a} with
 * token 1, from second 0 to 10. {@code *2} is its weight, {@code /k} its key, {@code !4} the time of a reported loss; a token
 * {@code -} is no permit. The limit is 2 unless it is said otherwise; the lease is three seconds.
 */
class CheckerTest {

    private static final Pattern VISIT = Pattern.compile("(\\w)(\\d+|-)(?:\\*(\\d))?(?:/(\\w))? (\\d+)-(\\d*)(?:!(\\d+))?");

    private final List<Pause> pauses = new ArrayList<>();
    private final List<DataLoss> losses = new ArrayList<>();
    private final List<Silence> silences = new ArrayList<>();
    private final TreeMap<Long, Integer> limit = new TreeMap<>(Map.of(Long.MIN_VALUE, 2));
    private final Set<String> fair = new HashSet<>();

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            within the limit, in order     | a1 0-9, b2 1-3, c3 3-8               | fair                 |
            one execution too many         | a1 0-9, b2 1-, c3 2-3                |                      | Limit: 3 inside
            weights within the limit       | a1*2 0-5, b2*2 5-9                   | fair                 |
            weights above the limit        | a1*2 0-5, b2*2 5-9, c3 6-7           |                      | Limit: 3 inside
            one limit for each key         | a1/k 0-9, b2/k 0-9, c3/l 0-9         |                      |
            after a reported loss          | a1 0-9, b2 1-9!4, c3 4-6             |                      |
            two after one reported loss    | a1 0-9, b2 1-9!4, c3 4-6, d4 5-6     |                      | Limit:
            an overlap after a pause       | a1 0-9, z2 1-9!7, c3 5-9             | pause z 2 6          | excused: 2
            an overlap beyond the pause    | a1 0-20, z2 1-15, c3 5-20            | pause z 2 6          | Pause:
            a short pause excuses nothing  | a1 0-9, z2 1-9!7, c3 5-9             | pause z 2 3          | Limit:
            a pause of another process     | a1 0-9, b2 1-9, c3 5-9               | pause z 2 6          | Limit:
            permits that Redis forgot      | a1 0-9!6, a2 1-9!6, b11 5-9, c12 5-9 | loss 4 9 10          | excused: 1
            more than Redis forgot         | a1 0-9!6, b11 5-7, b12 5-7, c13 5-7  | loss 4 9 10          | Limit:
            forgotten, but not reported    | a1 0-9, a2 1-9, b11 5-9              | loss 4 9 10          | Data loss:
            overtaking where it is allowed | a1 0-5, b3 1-6, c2 5-9               |                      |
            c was granted before b         | a1 0-5, b3 1-6, c2 5-9               | fair                 | Order: 3 inside
            late reports of permits        | a1 0-2, b3 3-6, c2 5-9               | fair                 |
            a token used twice             | a1 0-1, b1 2-3                       |                      | Token: used twice
            a decreasing token             | a2 0-1, b1 2-3                       | limit 1              | Token:.* came after
            tokens around a data loss      | a9 2-3, b5 4-5                       | limit 1, loss 1 9 10 |
            tokens from before a data loss | a8 2-3, b5 4-5                       | limit 1, loss 1 9 10 | Token:.* came after
            tokens from after a data loss  | a11 2-3, b10 4-5                     | limit 1, loss 1 9 10 | Token:.* came after
            a higher limit                 | a1 0-9, b2 1-9, c3 6-9               | limit 3 5            |
            a lower limit                  | a1 0-9, b2 1-9, c3 6-9, d4 8-9       | limit 3 5, limit 1 7 | Limit: 4 inside
            an execution without a permit  | a- 0-9                               |                      | Permit: none
            executions during a silence    | a1 0-9, b- 2-9, c- 3-9               | limit 1, silence 2 4 |
            an execution after a silence   | b- 2-9, c- 4-9                       | limit 1, silence 2 4 | Permit: none
            """)
    void judges(String situation, String history, String facts, String expected) {
        List<Visit> visits = VISIT.matcher(history).results().map(CheckerTest::visit).toList();
        for (String fact : facts == null ? new String[0] : facts.split(", ")) {
            learn(fact.split(" "));
        }

        Verdict verdict = new Checker(Duration.ofSeconds(3), fair)
                .judge(new Evidence(visits, pauses, losses, silences, Map.of("b", limit)));

        Duration excused = verdict.longestOverlapOfPaused().plus(verdict.longestOverlapOfForgotten());
        if (expected == null || expected.startsWith("excused: ")) {
            assertThat(verdict.violations()).isEmpty();
            assertThat(excused).hasSeconds(expected == null ? 0 : number(expected.substring("excused: ".length())));
        } else {
            assertThat(verdict.violations()).singleElement().asString().matches("(?s)" + expected + ".*");
        }
    }

    private static Visit visit(MatchResult text) {
        boolean permitted = !text.group(2).equals("-");
        return new Visit(text.group(1), "b", text.group(4) == null ? "" : text.group(4), permitted ? text.group() : "",
                permitted ? number(text.group(2)) : 0, text.group(3) == null ? 1 : Integer.parseInt(text.group(3)),
                nanos(text.group(5)), nanos(text.group(6)), nanos(text.group(7)));
    }

    private void learn(String[] fact) {
        switch (fact[0]) {
            case "fair" -> fair.add("b");
            case "limit" -> limit.put(fact.length > 2 ? nanos(fact[2]) : Long.MIN_VALUE, Integer.valueOf(fact[1]));
            case "pause" -> pauses.add(new Pause(fact[1], nanos(fact[2]), nanos(fact[3])));
            case "loss" -> losses.add(new DataLoss(nanos(fact[1]), number(fact[2]), number(fact[3])));
            case "silence" -> silences.add(new Silence(nanos(fact[1]), nanos(fact[2])));
            default -> throw new IllegalArgumentException(fact[0]);
        }
    }

    private static long number(String text) {
        return Long.parseLong(text);
    }

    private static long nanos(String seconds) {
        return seconds == null || seconds.isEmpty() ? Visit.NEVER : Duration.ofSeconds(number(seconds)).toNanos();
    }
}
