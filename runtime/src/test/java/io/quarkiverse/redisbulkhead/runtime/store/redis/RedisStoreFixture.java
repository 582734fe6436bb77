package io.quarkiverse.redisbulkhead.runtime.store.redis;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.LimitMismatch;
import io.quarkiverse.redisbulkhead.runtime.store.Notice;
import io.quarkiverse.redisbulkhead.runtime.store.Notice.PermitFree;
import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.StoreFixture;
import io.vertx.redis.client.Redis;

/**
 * Two processes on a real Redis, with a clock that the test moves: the stores read it from the key {@value #CLOCK}. The keys
 * live longer by {@link #SLACK}, because they expire by the server's own clock, which continues in a slow test.
 */
public final class RedisStoreFixture implements StoreFixture {

    /** The key that holds the time, in milliseconds. */
    public static final String CLOCK = "test:clock";

    /** A hash with the same time in its field {@code now}. */
    public static final String CLOCK_HASH = "test:clock-hash";

    public static final Duration SLACK = Duration.ofHours(1);

    /** Creates the store under test. */
    public interface StoreFactory {

        /**
         * @param redis the server
         * @param connections the connections of a process
         * @param notifications its subscriber
         */
        PermitStore open(TestRedis redis, RedisConnectionManager connections, NotificationSubscriber notifications);
    }

    private static final String MARK = "all-messages-arrived-";

    private final TestRedis redis;
    private final Redis admin;
    private final Process first;
    private final Process second;
    private long millis = 1_700_000_000_000L;
    private int marks;

    private static final class Process implements AutoCloseable {

        private final RedisConnectionManager connections;
        private final NotificationSubscriber notifications;
        private final PermitStore store;
        private final List<Notice> notices = new CopyOnWriteArrayList<>();
        private final List<LimitMismatch> mismatches = new CopyOnWriteArrayList<>();

        private Process(TestRedis redis, TestStore kind, StoreFactory factory) {
            connections = kind.connections(redis, redis.restrictedOptions(kind), Duration.ofSeconds(20));
            notifications = new NotificationSubscriber(connections, 20_000);
            store = factory.open(redis, connections, notifications);
            store.listen(notices::add, mismatches::add);
            notifications.open();
            await().atMost(20, TimeUnit.SECONDS).until(() -> !notices.isEmpty());
            notices.clear();
        }

        @Override
        public void close() {
            notifications.close();
            connections.close();
        }
    }

    public RedisStoreFixture(TestRedis redis, TestStore kind, StoreFactory factory) {
        this.redis = redis;
        this.admin = redis.newClient();
        setClock();
        first = new Process(redis, kind, factory);
        second = new Process(redis, kind, factory);
    }

    private void setClock() {
        // As a string and as a hash, for users without permission for GET.
        redis.command(admin, "SET", CLOCK, millis);
        redis.command(admin, "HSET", CLOCK_HASH, "now", millis);
    }

    @Override
    public PermitStore first() {
        return first.store;
    }

    @Override
    public PermitStore second() {
        return second.store;
    }

    @Override
    public void advance(Duration duration) {
        millis += duration.toMillis();
        setClock();
    }

    @Override
    public List<Notice> notices(PermitStore store) {
        List<Notice> all = new ArrayList<>(store == first.store ? first.notices : second.notices);
        all.removeIf(notice -> notice instanceof PermitFree free && free.permitId().startsWith(MARK));
        return all;
    }

    @Override
    public List<LimitMismatch> limitMismatches(PermitStore store) {
        return store == first.store ? first.mismatches : second.mismatches;
    }

    @Override
    public void settleNotices() {
        String mark = MARK + ++marks;
        for (Process process : List.of(first, second)) {
            // A store may publish after its reply. This reply on the same connection comes behind that.
            process.store.occupancy(BulkheadId.of("unknown"), 0).toCompletableFuture().join();
            redis.command(admin, "PUBLISH", process.notifications.name(), "free " + mark);
            await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(1)).atMost(20, TimeUnit.SECONDS)
                    .until(() -> process.notices.contains(new PermitFree(mark)));
        }
    }

    @Override
    public void forgetNotices() {
        first.notices.clear();
        second.notices.clear();
    }

    @Override
    public void close() {
        first.close();
        second.close();
        admin.close();
    }
}
