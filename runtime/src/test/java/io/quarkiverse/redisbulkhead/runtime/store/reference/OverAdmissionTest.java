package io.quarkiverse.redisbulkhead.runtime.store.reference;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.store.redis.TestRedis;
import io.quarkiverse.redisbulkhead.runtime.store.reference.Contender.Member;

/**
 * The reference semaphores and ours under the same load: threads of four processes with different clocks. The figures go to
 * standard output and to {@code target}.
 */
class OverAdmissionTest {

    static final int LIMIT = 5;
    static final int CALLERS = 16;
    static final Duration LEASE = Duration.ofSeconds(10);
    static final Duration ROUND = Duration.ofMillis(500);
    static final Duration LONGEST_SEARCH = Duration.ofSeconds(60);

    static final List<String> OF_THE_BOOK = List.of(Contenders.BASIC, Contenders.FAIR, Contenders.BOOK_LOCKED);
    static final List<String> OURS = List.of(Contenders.SCRIPT, Contenders.LOCK, Contenders.LOCAL);

    /** The clock skew of the four processes. */
    enum Clocks {

        AGREE("agree", 0, 0, 0, 0),
        APART("50 ms apart", 0, 50, -50, 0),
        ONE_FAST("one 1 h ahead", 0, 50, -50, 3_600_000);

        final String text;
        final List<Duration> skews;

        Clocks(String text, long... millis) {
            this.text = text;
            this.skews = Arrays.stream(millis).mapToObj(Duration::ofMillis).toList();
        }
    }

    static TestRedis redis;

    @BeforeAll
    static void startRedis() {
        redis = new TestRedis();
    }

    @AfterAll
    static void stopRedis() {
        redis.close();
    }

    @Test
    void basicAndFairExceedTheLimitAndOursNever() {
        MarkdownTable table = new MarkdownTable("contender", "clocks", "entries", "entries beyond " + LIMIT,
                "highest concurrency", "rejections", "of them without reading the permits");
        try {
            for (Clocks clocks : Clocks.values()) {
                compare(clocks, table);
            }
        } finally {
            table.publish(Path.of("target", "over-admission.md"));
        }
    }

    private static void compare(Clocks clocks, MarkdownTable table) {
        Duration longest = ROUND;
        for (String kind : OF_THE_BOOK) {
            boolean mustExceedTheLimit = !kind.equals(Contenders.BOOK_LOCKED);
            Outcome outcome = mustExceedTheLimit ? runUntilBeyond(kind, clocks) : run(kind, clocks, CALLERS, ROUND);
            report(table, kind, clocks, outcome.figures());
            if (mustExceedTheLimit) {
                assertThat(outcome.figures().beyond()).as(kind + ", clocks " + clocks.text).isPositive();
            }
            longest = outcome.duration().compareTo(longest) > 0 ? outcome.duration() : longest;
        }
        for (String kind : OURS) {
            Crew.Figures figures = run(kind, clocks, CALLERS, longest).figures();
            report(table, kind, clocks, figures);
            assertThat(figures.entries()).as(kind).isPositive();
            assertThat(figures.beyond()).as(kind + ", clocks " + clocks.text).isZero();
        }
    }

    private static void report(MarkdownTable table, String kind, Clocks clocks, Crew.Figures figures) {
        table.row(kind, clocks.text, figures.entries(), figures.beyond(), figures.highest(), figures.rejections(),
                figures.rejectedUnseen());
    }

    /** As many callers as permits: each rejection is wrong. */
    @Test
    void lockedRejectsFreePermitsAndOursNever() {
        MarkdownTable table = new MarkdownTable("contender", "entries", "rejections while a permit was free");
        try {
            Stream.concat(OF_THE_BOOK.stream(), OURS.stream()).forEach(kind -> {
                Crew.Figures figures = kind.equals(Contenders.BOOK_LOCKED)
                        ? runUntilRejected(kind)
                        : run(kind, Clocks.AGREE, LIMIT, ROUND).figures();
                table.row(kind, figures.entries(), figures.rejections());
                if (OURS.contains(kind)) {
                    assertThat(figures.rejections()).as(kind).isZero();
                } else if (kind.equals(Contenders.BOOK_LOCKED)) {
                    assertThat(figures.rejections()).as(kind).isPositive();
                }
            });
        } finally {
            table.publish(Path.of("target", "false-rejections.md"));
        }
    }

    private record Outcome(Crew.Figures figures, Duration duration) {

        Outcome plus(Outcome other) {
            return new Outcome(figures.plus(other.figures), duration.plus(other.duration));
        }
    }

    private static Outcome runUntilBeyond(String kind, Clocks clocks) {
        Outcome outcome = run(kind, clocks, CALLERS, ROUND);
        while (outcome.figures().beyond() == 0 && outcome.duration().compareTo(LONGEST_SEARCH) < 0) {
            outcome = outcome.plus(run(kind, clocks, CALLERS, ROUND));
        }
        return outcome;
    }

    private static Crew.Figures runUntilRejected(String kind) {
        Outcome outcome = run(kind, Clocks.AGREE, LIMIT, ROUND);
        while (outcome.figures().rejections() == 0 && outcome.duration().compareTo(LONGEST_SEARCH) < 0) {
            outcome = outcome.plus(run(kind, Clocks.AGREE, LIMIT, ROUND));
        }
        return outcome.figures();
    }

    private static Outcome run(String kind, Clocks clocks, int callers, Duration duration) {
        redis.command("FLUSHALL");
        Contender contender = Contenders.of(kind, redis,
                SemaphoreSpec.named("load").permits(LIMIT).expire(LEASE).build());
        List<Member> members = new ArrayList<>();
        try (Crew crew = new Crew(LIMIT)) {
            clocks.skews.forEach(skew -> members.add(contender.join(skew)));
            for (int i = 0; i < callers; i++) {
                crew.add(members.get(i % members.size()));
            }
            return new Outcome(crew.run(duration), duration);
        } finally {
            members.forEach(Member::close);
        }
    }
}
