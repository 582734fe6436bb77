package io.quarkiverse.redisbulkhead.faults.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import org.junit.jupiter.api.Test;

/**
 * The checker finds each violation, and nothing else. Times are in seconds, and the limit is 2 unless a test says
 * otherwise.
 */
class CheckerTest {

    private static final long FOREVER = -1;

    private final List<Visit> visits = new ArrayList<>();
    private final List<Pause> pauses = new ArrayList<>();
    private final List<DataLoss> losses = new ArrayList<>();
    private final List<Silence> silences = new ArrayList<>();
    private final TreeMap<Long, Integer> limit = new TreeMap<>(Map.of(Long.MIN_VALUE, 2));

    private void visit(String worker, long token, long began, long ended) {
        visit(worker, token, began, ended, FOREVER);
    }

    private void visit(String worker, long token, long began, long ended, long lost) {
        visits.add(new Visit(worker, "b", "", "p" + visits.size(), token, 1, nanos(began), nanos(ended), nanos(lost)));
    }

    private static long nanos(long seconds) {
        return seconds == FOREVER ? Visit.NEVER : Duration.ofSeconds(seconds).toNanos();
    }

    private Verdict judge(String... fair) {
        return new Checker(Duration.ofSeconds(3), Set.of(fair))
                .judge(new Evidence(visits, pauses, losses, silences, Map.of("b", limit)));
    }

    @Test
    void acceptsAHistoryWithinTheLimit() {
        visit("a", 1, 0, 10);
        visit("b", 2, 1, 3);
        visit("c", 3, 3, 9);
        assertThat(judge("b").violations()).isEmpty();
    }

    @Test
    void findsOneExecutionTooMany() {
        visit("a", 1, 0, 10);
        visit("b", 2, 1, FOREVER);
        visit("c", 3, 2, 3);
        assertThat(judge().violations()).singleElement().asString().startsWith("Limit: 3 inside, limit 2");
    }

    @Test
    void addsUpWeights() {
        visits.add(new Visit("a", "b", "", "p", 1, 2, 0, 10, Visit.NEVER));
        visits.add(new Visit("b", "b", "", "q", 2, 2, 10, 20, Visit.NEVER));
        assertThat(judge("b").violations()).isEmpty();

        visits.add(new Visit("c", "b", "", "r", 3, 1, 12, 14, Visit.NEVER));
        assertThat(judge().violations()).singleElement().asString().startsWith("Limit: 3 inside, limit 2");
    }

    @Test
    void eachKeyHasItsOwnLimit() {
        for (String key : List.of("k1", "k2")) {
            for (int i = 0; i < 2; i++) {
                visits.add(new Visit("a", "b", key, key + i, i, 1, 0, 10, Visit.NEVER));
            }
        }
        assertThat(judge().violations()).isEmpty();
    }

    @Test
    void ignoresExecutionsWithAReportedLoss() {
        visit("a", 1, 0, 10);
        visit("b", 2, 1, 10, 4);
        visit("c", 3, 4, 6);
        assertThat(judge().violations()).isEmpty();
        visit("d", 4, 5, 6);
        assertThat(judge().violations()).hasSize(1);
    }

    @Test
    void pauseExcusesAnOverlapOfItsLength() {
        visit("a", 1, 0, 10);
        visit("sleeper", 2, 1, 9, 7);
        visit("c", 3, 5, 10);
        pauses.add(new Pause("sleeper", nanos(2), nanos(6)));
        Verdict verdict = judge();
        assertThat(verdict.violations()).isEmpty();
        assertThat(verdict.longestOverlapOfPaused()).isEqualTo(Duration.ofSeconds(2));
    }

    @Test
    void findsOverlapLongerThanThePause() {
        visit("a", 1, 0, 20);
        visit("sleeper", 2, 1, 15);
        visit("c", 3, 5, 20);
        pauses.add(new Pause("sleeper", nanos(2), nanos(6)));
        assertThat(judge().violations()).singleElement().asString().startsWith("Pause:");
    }

    @Test
    void shortPauseExcusesNothing() {
        visit("a", 1, 0, 10);
        visit("sleeper", 2, 1, 9, 7);
        visit("c", 3, 5, 10);
        pauses.add(new Pause("sleeper", nanos(2), nanos(3)));
        assertThat(judge().violations()).singleElement().asString().startsWith("Limit:");
    }

    @Test
    void pauseOfAnotherProcessExcusesNothing() {
        visit("a", 1, 0, 10);
        visit("b", 2, 1, 9);
        visit("c", 3, 5, 10);
        pauses.add(new Pause("sleeper", nanos(2), nanos(6)));
        assertThat(judge().violations()).singleElement().asString().startsWith("Limit:");
    }

    @Test
    void countsForgottenPermitsSeparately() {
        visit("a", 1, 0, 10, 6);
        visit("a", 2, 1, 10, 6);
        losses.add(new DataLoss(nanos(4), 90, 100));
        visit("b", 101, 5, 10);
        visit("b", 102, 5, 10);
        Verdict verdict = judge();
        assertThat(verdict.violations()).isEmpty();
        assertThat(verdict.longestOverlapOfForgotten()).isEqualTo(Duration.ofSeconds(1));
        visit("b", 103, 5, 10);
        assertThat(judge().violations()).isNotEmpty();
    }

    @Test
    void findsForgottenPermitsWithoutAReportedLoss() {
        visit("a", 1, 0, 10);
        visit("a", 2, 1, 10);
        losses.add(new DataLoss(nanos(4), 90, 100));
        visit("b", 101, 5, 10);
        assertThat(judge().violations()).singleElement().asString().startsWith("Data loss:");
    }

    @Test
    void findsOvertaking() {
        visit("a", 1, 0, 5);
        visit("b", 3, 1, 6);
        // The greater token was inside before, so this permit must have been granted by then: that makes three.
        visit("c", 2, 5, 9);
        assertThat(judge().violations()).isEmpty();
        assertThat(judge("b").violations()).singleElement().asString().startsWith("Order: 3 inside");
    }

    @Test
    void acceptsLateReportsOfPermits() {
        visit("a", 1, 0, 2);
        visit("b", 3, 3, 6);
        visit("c", 2, 5, 9);
        assertThat(judge("b").violations()).isEmpty();
    }

    @Test
    void findsTokensUsedTwice() {
        visit("a", 1, 0, 1);
        visit("b", 1, 2, 3);
        assertThat(judge().violations()).singleElement().asString().startsWith("Token: used twice");
    }

    @Test
    void findsDecreasingTokens() {
        limit.put(Long.MIN_VALUE, 1);
        visit("a", 2, 0, 1);
        visit("b", 1, 2, 3);
        assertThat(judge().violations()).singleElement().asString().startsWith("Token:").contains("came after");
    }

    @Test
    void tokenOfTheMomentOfADataLossMayFollowANewerOne() {
        limit.put(Long.MIN_VALUE, 1);
        losses.add(new DataLoss(nanos(1), 90, 100));
        visit("a", 90, 2, 3);
        visit("b", 50, 4, 5);
        assertThat(judge().violations()).isEmpty();
    }

    @Test
    void tokensFromBeforeADataLossAreOrdered() {
        limit.put(Long.MIN_VALUE, 1);
        losses.add(new DataLoss(nanos(1), 90, 100));
        visit("a", 89, 2, 3);
        visit("b", 50, 4, 5);
        assertThat(judge().violations()).singleElement().asString().startsWith("Token:").contains("came after");
    }

    @Test
    void tokensFromAfterADataLossAreOrdered() {
        limit.put(Long.MIN_VALUE, 1);
        losses.add(new DataLoss(nanos(1), 90, 100));
        visit("a", 101, 2, 3);
        visit("b", 100, 4, 5);
        assertThat(judge().violations()).singleElement().asString().startsWith("Token:").contains("came after");
    }

    @Test
    void limitMayChange() {
        limit.put(nanos(5), 3);
        visit("a", 1, 0, 10);
        visit("b", 2, 1, 10);
        visit("c", 3, 6, 10);
        assertThat(judge().violations()).isEmpty();
        limit.put(nanos(7), 1);
        visit("d", 4, 8, 9);
        assertThat(judge().violations()).singleElement().asString().startsWith("Limit: 4 inside, limit 1");
    }

    @Test
    void findsExecutionsWithoutAPermit() {
        visits.add(new Visit("a", "b", "", "", 1, 1, 0, 10, Visit.NEVER));
        assertThat(judge().violations()).singleElement().asString().startsWith("Permit: none was needed");
    }

    @Test
    void silenceExcusesOnlyCallsThatBeginDuringIt() {
        limit.put(Long.MIN_VALUE, 1);
        silences.add(new Silence(nanos(2), nanos(4)));
        visit("a", 1, 0, 10);
        visits.add(new Visit("b", "b", "", "", 0, 1, nanos(2), nanos(10), Visit.NEVER));
        visits.add(new Visit("b", "b", "", "", 0, 1, nanos(3), nanos(10), Visit.NEVER));
        assertThat(judge().violations()).isEmpty();
        visits.add(new Visit("b", "b", "", "", 0, 1, nanos(4), nanos(10), Visit.NEVER));
        assertThat(judge().violations()).anySatisfy(violation -> assertThat(violation).startsWith("Permit: none was needed"));
    }
}
