package io.quarkiverse.redisbulkhead.runtime.dev;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.BulkheadUnavailableException;
import io.quarkiverse.redisbulkhead.runtime.overview.Snapshot;
import io.smallrye.mutiny.helpers.test.AssertSubscriber;

class LiveFeedTest {

    static final Duration SECOND = Duration.ofSeconds(1);

    final ManualTime time = new ManualTime();
    final List<CompletableFuture<Snapshot>> pending = new ArrayList<>();
    boolean hangs;
    boolean away;
    int reads;
    int inUse;

    final LiveFeed feed = new LiveFeed(this::read, time, time);

    private CompletionStage<Snapshot> read() {
        reads++;
        if (hangs) {
            pending.add(new CompletableFuture<>());
            return pending.get(pending.size() - 1);
        }
        return away
                ? CompletableFuture.failedStage(new BulkheadUnavailableException("*", "Redis cannot be reached",
                        new IOException("Redis cannot be reached")))
                : CompletableFuture.completedStage(now());
    }

    private Snapshot now() {
        return Snapshots.at(time.instant(), Snapshots.bulkhead("reports", inUse));
    }

    private AssertSubscriber<Seen> page() {
        return feed.states().subscribe().withSubscriber(AssertSubscriber.create(Long.MAX_VALUE));
    }

    @Test
    void readsNothingWithoutPages() {
        time.pass(Duration.ofSeconds(30));

        assertThat(reads).isZero();
        assertThat(time.isTicking()).isFalse();
    }

    @Test
    void readsOnceASecondForOnePage() {
        AssertSubscriber<Seen> page = page();
        time.pass(Duration.ofSeconds(5));

        assertThat(reads).isEqualTo(1 + 5);
        assertThat(page.getItems()).hasSize(1 + 5);
    }

    @Test
    void readsOnceASecondHoweverManyPages() {
        List<AssertSubscriber<Seen>> pages = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            pages.add(page());
        }
        time.pass(Duration.ofSeconds(5));

        assertThat(reads).isEqualTo(1 + 5);
        assertThat(pages).allSatisfy(page -> assertThat(page.getItems()).hasSize(1 + 5));
    }

    @Test
    void readsOnceASecondWhenPagesComeAndGo() {
        for (int i = 0; i < 50; i++) {
            AssertSubscriber<Seen> page = page();
            time.pass(Duration.ofMillis(100));
            page.cancel();
        }

        assertThat(reads).as("in five seconds").isLessThanOrEqualTo(1 + 5);
    }

    @Test
    void readsNothingOnceThePagesAreGone() {
        AssertSubscriber<Seen> one = page();
        AssertSubscriber<Seen> other = page();
        one.cancel();
        time.pass(SECOND);
        assertThat(reads).isEqualTo(2);

        other.cancel();
        time.pass(Duration.ofMinutes(1));

        assertThat(reads).isEqualTo(2);
        assertThat(time.isTicking()).isFalse();
    }

    /** The Dev UI does not unsubscribe when a browser is closed. */
    @Test
    void readsNothingOnceAPageHasGoneWithoutAWord() {
        AssertSubscriber<Seen> page = page();
        time.pass(Duration.ofMinutes(1));

        page.assertCompleted();
        assertThat(reads).isLessThanOrEqualTo(1 + LiveFeed.LASTS_TICKS);
        assertThat(time.isTicking()).isFalse();
    }

    @Test
    void pagesThatSubscribeAgainSeeEverySecond() {
        AssertSubscriber<Seen> page = page();
        for (int i = 0; i < 10; i++) {
            time.pass(Duration.ofSeconds(4));
            AssertSubscriber<Seen> again = page();
            page.cancel();
            page = again;
        }

        assertThat(reads).isEqualTo(1 + 40);
    }

    @Test
    void tellsANewPageTheStateAtOnce() {
        page();
        inUse = 3;
        time.pass(SECOND);
        hangs = true;

        AssertSubscriber<Seen> page = page();

        assertThat(page.getItems()).hasSize(1);
        assertThat(page.getItems().get(0).snapshot().orElseThrow().bulkheads().get(0).limits().get(0).inUse()).isEqualTo(3);
    }

    @Test
    void doesNotAskAgainWhileRedisHangs() {
        hangs = true;
        AssertSubscriber<Seen> page = page();
        time.pass(Duration.ofSeconds(5));

        assertThat(reads).isEqualTo(1);
        assertThat(page.getItems()).isEmpty();

        pending.get(0).complete(now());
        time.pass(SECOND);
        assertThat(reads).isEqualTo(2);
        assertThat(page.getItems()).hasSize(1);
    }

    @Test
    void showsTheLastStateWhileRedisIsAway() {
        AssertSubscriber<Seen> page = page();
        time.pass(SECOND);
        away = true;
        time.pass(Duration.ofSeconds(3));

        Seen last = page.getLastItem();
        assertThat(last.error()).hasValueSatisfying(error -> assertThat(error).isEqualTo("Redis cannot be reached"));
        assertThat(Duration.between(last.snapshot().orElseThrow().at(), last.at())).isEqualTo(Duration.ofSeconds(3));

        away = false;
        time.pass(SECOND);
        assertThat(page.getLastItem().error()).isEmpty();
        assertThat(page.getLastItem().snapshot().orElseThrow().at()).isEqualTo(time.instant());
    }

    @Test
    void hasNoStateWhereRedisNeverAnswered() {
        away = true;
        AssertSubscriber<Seen> page = page();

        assertThat(page.getLastItem().snapshot()).isEmpty();
        assertThat(page.getLastItem().error()).isPresent();
    }

    @Test
    void toolsShareTheReads() {
        for (int i = 0; i < 10; i++) {
            assertThat(feed.now().await().indefinitely().snapshot()).isPresent();
            time.pass(Duration.ofMillis(100));
        }
        assertThat(reads).isEqualTo(1);

        feed.now().await().indefinitely();
        assertThat(reads).isEqualTo(2);
        assertThat(time.isTicking()).isFalse();
    }

    @Test
    void remembersTheUse() {
        AssertSubscriber<Seen> page = page();
        inUse = 4;
        time.pass(SECOND);
        inUse = 2;
        time.pass(SECOND);

        List<Integer> history = page.getLastItem().history().get(new LimitId("reports", Optional.empty()));
        assertThat(history).hasSize(UseHistory.POINTS).endsWith(4).startsWith((Integer) null);
    }
}
