package io.quarkiverse.redisbulkhead.runtime.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.Position;
import io.quarkiverse.redisbulkhead.runtime.store.ShareMessage;
import io.quarkiverse.redisbulkhead.runtime.store.ShareMessage.Granted;
import io.quarkiverse.redisbulkhead.runtime.store.ShareMessage.Recalled;
import io.quarkiverse.redisbulkhead.runtime.store.ShareOverview;
import io.quarkiverse.redisbulkhead.runtime.store.Statement;
import io.quarkiverse.redisbulkhead.runtime.store.Statement.Need;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.vertx.redis.client.RedisOptions;

/** What stores in Redis add to their steps: the way there, the run of the server, messages, and what an instance hears. */
public abstract class RedisShareStoreContract {

    protected static final BulkheadId REPORTS = BulkheadId.of("reports");
    private static final Duration LONG_TIMEOUT = Duration.ofSeconds(25);

    protected final TestRedis redis = new TestRedis();
    private final List<Instance> instances = new ArrayList<>();

    /** Opens a store; the contract closes it. */
    protected abstract RedisShareStore open(RedisOptions options, Duration timeout);

    @AfterEach
    protected final void stop() {
        instances.forEach(instance -> instance.store.close());
        redis.close();
    }

    /** One instance that states its position by hand. */
    public final class Instance {

        public final RedisShareStore store;
        private final RecordedEvents events = new RecordedEvents();
        public final List<ShareMessage> messages = new CopyOnWriteArrayList<>();
        long number;
        public Position last = new Position(0, 0, 0, 0, 0, 0, 1, 0, 0, false, false, 0, 0, 0, 0, 0, 0, Map.of(), 0,
                "");
        long returned;
        int limit = 1;
        boolean wantsToKeep;

        private Instance(RedisOptions options, Duration timeout) {
            store = open(options, timeout);
            store.listen(events);
            store.listen(messages::add);
            instances.add(this);
        }

        public Instance awaitHearing() {
            store.warmUp();
            await().atMost(30, TimeUnit.SECONDS).until(() -> store.inbox().canHear());
            return this;
        }

        public Statement statement(BulkheadId bulkhead, List<Need> needs, List<Need> immediate) {
            return new Statement(bulkhead, ++number, last.epoch(), last.granted(), returned, last.revoked(), 30_000, limit,
                    false,
                    wantsToKeep, needs, immediate, 0, 0, last.server(), -1, List.of(), List.of());
        }

        public Position adopt(Position position) {
            returned = position.epoch() == last.epoch() ? returned : 0;
            last = position;
            return position;
        }

        public Position tryFor(BulkheadId bulkhead, int count) {
            return adopt(get(store.sync(statement(bulkhead, List.of(), List.of(new Need(0, 0, 1, count))))));
        }

        public Position waitFor(BulkheadId bulkhead) {
            return adopt(get(store.sync(statement(bulkhead, List.of(new Need(0, 1, 1, 1)), List.of()))));
        }

        public Position giveBack(BulkheadId bulkhead) {
            return giveBackTo(store, bulkhead);
        }

        /** By another store of the same instance. */
        public Position giveBackTo(RedisShareStore to, BulkheadId bulkhead) {
            returned = last.granted();
            return adopt(get(to.sync(statement(bulkhead, List.of(), List.of()))));
        }

        public Position state(BulkheadId bulkhead) {
            return adopt(get(store.sync(statement(bulkhead, List.of(), List.of()))));
        }
    }

    protected final Instance instance() {
        return instance(redis.options());
    }

    protected final Instance instance(RedisOptions options) {
        return instance(options, LONG_TIMEOUT);
    }

    protected final Instance instance(RedisOptions options, Duration timeout) {
        return new Instance(options, timeout);
    }

    protected static <T> T get(CompletionStage<T> stage) {
        return TestRedis.get(stage);
    }

    /**
     * A permit that one instance returns is offered to the other by a message, also for a key of which Redis knows a digest.
     */
    @ParameterizedTest
    @ValueSource(ints = { 0, 10, 500 })
    void permitsGoFromOneInstanceToAnother(int lengthOfKey) {
        BulkheadId bulkhead = lengthOfKey == 0 ? REPORTS : REPORTS.forKey("k".repeat(lengthOfKey));
        Instance one = instance();
        Instance two = instance().awaitHearing();
        assertThat(one.tryFor(bulkhead, 1).granted()).isEqualTo(1);
        assertThat(two.waitFor(bulkhead).granted()).isZero();
        one.giveBack(bulkhead);

        await().atMost(30, TimeUnit.SECONDS).until(() -> !two.messages.isEmpty());
        assertThat(two.messages).singleElement().isInstanceOfSatisfying(Granted.class, granted -> {
            assertThat(granted.bulkhead()).isEqualTo(bulkhead);
            assertThat(granted.granted()).isEqualTo(1);
            assertThat(granted.number()).isEqualTo(two.number);
        });
        assertThat(two.state(bulkhead).granted()).isEqualTo(1);
        ShareOverview overview = get(one.store.look(bulkhead, 10));
        assertThat(overview.granted()).isEqualTo(1);
        assertThat(overview.shares()).filteredOn(share -> share.permits() == 1).singleElement()
                .satisfies(share -> assertThat(share.instance()).isEqualTo(two.store.inbox().ownName()));
    }

    /** Trap 48: an instance that keeps permits hears that another one needs them. */
    @Test
    void keptPermitsAreRecalled() {
        Instance one = instance().awaitHearing();
        one.wantsToKeep = true;
        assertThat(one.tryFor(REPORTS, 1).mayKeep()).isTrue();
        Instance two = instance();
        assertThat(two.tryFor(REPORTS, 1).recalled()).isEqualTo(1);

        await().atMost(30, TimeUnit.SECONDS).until(() -> one.messages.equals(List.of(new Recalled(REPORTS, one.number))));
    }

    /** Trap 50: an instance that hears nothing may not keep, and is not said to want it. */
    @Test
    void deafInstanceMayNotKeep() {
        redis.command("ACL", "SETUSER", "deaf", "on", ">secret", "~*", "&*", "+@all", "-subscribe");
        Instance deaf = instance(redis.optionsOf("deaf"));
        deaf.wantsToKeep = true;
        assertThat(deaf.tryFor(REPORTS, 1).mayKeep()).isFalse();
        assertThat(get(deaf.store.look(REPORTS, 10)).shares()).singleElement()
                .satisfies(share -> assertThat(share.keeps()).isFalse());
    }

    /** Trap 53: after a restart without data, an instance that knew the old server makes Redis wait for claims. */
    @Test
    void newRunOfTheServerBeginsAGrace() {
        Instance one = instance();
        assertThat(one.tryFor(REPORTS, 1).graceMillis()).isZero();
        assertThat(one.last.server()).isNotEmpty();
        // Again if the machine is so busy that the grace period is over before the statement.
        await().pollDelay(Duration.ZERO).atMost(60, TimeUnit.SECONDS).until(() -> {
            redis.stop();
            redis.start();
            Position claimed = Restated.until(() -> one.store.sync(one.statement(REPORTS, List.of(), List.of()))).join();
            assertThat(claimed.epoch()).isNotEqualTo(one.last.epoch());
            assertThat(claimed.admitted()).isEqualTo(1);
            assertThat(claimed.server()).isNotEqualTo(one.last.server());
            return claimed.graceMillis() > 0;
        });
        // One that never knew another run cannot tell, but the data now does.
        assertThat(instance().tryFor(REPORTS, 1).granted()).isZero();
    }

    @Test
    void anotherLayoutIsRefused() {
        redis.command("HSET", "test:{reports}:shares", "bulkhead", "9 another version");
        assertThatThrownBy(() -> instance().tryFor(REPORTS, 1)).isInstanceOf(StoreException.class)
                .hasMessageMatching("(?is).*layout 9.*update all applications.*key-prefix.*");
    }
}
