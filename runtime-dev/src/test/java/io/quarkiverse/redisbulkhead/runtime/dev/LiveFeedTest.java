package io.quarkiverse.redisbulkhead.runtime.dev;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.runtime.dev.LiveFeed.Seen;
import io.quarkiverse.redisbulkhead.runtime.overview.Snapshot;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.test.AssertSubscriber;

class LiveFeedTest {

    static final Duration SECOND = Duration.ofSeconds(1);

    final ManualTime time = new ManualTime();
    final List<CompletableFuture<Snapshot>> pending = new ArrayList<>();
    boolean hangs;
    boolean away;
    boolean broken;
    int reads;
    int inUse;

    final LiveFeed feed = feed(LiveFeed.LASTS);

    private LiveFeed feed(Duration lasts) {
        return new LiveFeed(Uni.createFrom().completionStage(this::read), time.ticks(), time, time::nanoTime, lasts);
    }

    private CompletionStage<Snapshot> read() {
        reads++;
        if (hangs) {
            pending.add(new CompletableFuture<>());
            return pending.get(pending.size() - 1);
        }
        return away
                ? CompletableFuture
                        .failedStage(new StoreException("Redis cannot be reached", false, new IOException("refused")))
                : CompletableFuture.completedStage(now());
    }

    private Snapshot now() {
        if (broken) {
            return null;
        }
        return Snapshots.at(time.instant(), Snapshots.bulkhead("reports", inUse));
    }

    private AssertSubscriber<Seen> page() {
        return page(feed);
    }

    private static AssertSubscriber<Seen> page(LiveFeed feed) {
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
    void readsOnceASecondForAnyNumberOfPages() {
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
    void readsNothingAfterPagesUnsubscribe() {
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

    /** The Dev UI does not unsubscribe when a browser is closed. The only test that waits for real time. */
    @Test
    void subscriptionExpires() {
        AssertSubscriber<Seen> page = page(feed(SECOND));

        page.awaitCompletion(Duration.ofSeconds(60));
        await().atMost(Duration.ofSeconds(20)).until(() -> !time.isTicking());

        time.pass(Duration.ofMinutes(1));
        assertThat(reads).isEqualTo(1);
    }

    /** Even with a page: the application is reloaded. */
    @Test
    void readsNothingAfterStop() {
        AssertSubscriber<Seen> page = page();
        feed.stop();
        time.pass(SECOND);

        page.assertCompleted();
        assertThat(time.isTicking()).isFalse();
        assertThat(reads).isEqualTo(1);
    }

    @Test
    void resubscribingPagesSeeEverySecond() {
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
    void sendsTheStateToANewPageImmediately() {
        page();
        inUse = 3;
        time.pass(SECOND);
        hangs = true;

        AssertSubscriber<Seen> page = page();

        assertThat(page.getItems()).hasSize(1);
        assertThat(inUse(page.getItems().get(0))).isEqualTo(3);
    }

    @Test
    void doesNotReadAgainWhileRedisHangs() {
        hangs = true;
        AssertSubscriber<Seen> page = page();
        time.pass(Duration.ofSeconds(5));

        assertThat(reads).isEqualTo(1);
        assertThat(page.getItems()).isEmpty();

        pending.get(0).complete(now());
        assertThat(page.getItems()).isNotEmpty().containsOnly(page.getLastItem());
        time.pass(SECOND);
        assertThat(reads).isEqualTo(2);
    }

    @Test
    void showsTheLastStateDuringAnOutage() {
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
    void hasNoStateBeforeTheFirstReply() {
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

    /** A tick is not skipped because the last reply is less than a period old. */
    @Test
    void readsOnceASecondWhenRedisIsSlow() {
        hangs = true;
        AssertSubscriber<Seen> page = page();
        for (int i = 0; i < 5; i++) {
            time.pass(Duration.ofMillis(300));
            pending.get(i).complete(now());
            time.pass(Duration.ofMillis(700));
        }

        assertThat(reads).isEqualTo(1 + 5);
        assertThat(page.getItems()).hasSize(5);
    }

    @Test
    void readAfterAChangeSeesIt() {
        AssertSubscriber<Seen> page = page();
        inUse = 3;
        feed.forget();

        assertThat(inUse(feed.now().await().indefinitely())).isEqualTo(3);
        assertThat(reads).isEqualTo(2);
        time.pass(SECOND);
        assertThat(inUse(page.getLastItem())).as("pages see it, too").isEqualTo(3);
    }

    @Test
    void changeDuringAReadIsSeenByTheNextOne() {
        hangs = true;
        AssertSubscriber<Seen> page = page();
        Snapshot before = now();
        inUse = 3;
        feed.forget();
        CompletableFuture<Seen> after = feed.now().subscribeAsCompletionStage();

        pending.get(0).complete(before);
        pending.get(1).complete(now());

        assertThat(inUse(after.join())).isEqualTo(3);
        assertThat(page.getItems()).extracting(LiveFeedTest::inUse).containsExactly(0);
    }

    @Test
    void continuesAfterAFailedRead() {
        broken = true;
        AssertSubscriber<Seen> page = page();
        time.pass(SECOND);
        assertThat(page.getLastItem().error()).isPresent();

        broken = false;
        time.pass(SECOND);
        assertThat(page.getLastItem().error()).isEmpty();
    }

    @Test
    void returningPageReusesAFreshState() {
        page().cancel();

        assertThat(page().getItems()).hasSize(1);
        assertThat(reads).isEqualTo(1);
    }

    private static int inUse(Seen seen) {
        return seen.snapshot().orElseThrow().bulkheads().get(0).limits().get(0).inUse();
    }

    @Test
    void recordsTheUse() {
        AssertSubscriber<Seen> page = page();
        inUse = 4;
        time.pass(SECOND);
        inUse = 2;
        time.pass(SECOND);

        List<Integer> history = feed.history().of("reports", Optional.empty());
        assertThat(history).hasSize(UseHistory.POINTS).endsWith(4).startsWith((Integer) null);
    }
}
