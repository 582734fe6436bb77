package io.quarkiverse.redisbulkhead.runtime.store.redis;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.Notice;
import io.quarkiverse.redisbulkhead.runtime.store.Notice.PermitFree;
import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.StoreFixture;
import io.vertx.redis.client.Redis;

/**
 * Two processes on a real Redis, with a clock that the test moves: the stores read it from the key {@value #CLOCK} instead of
 * asking for the time. The keys themselves live by the server's own clock, which would let them expire in a slow test; so
 * they live longer by {@link #SLACK}.
 */
public final class RedisStoreFixture implements StoreFixture {

    /** The key that holds the time, in milliseconds. */
    public static final String CLOCK = "test:clock";

    public static final Duration SLACK = Duration.ofHours(1);

    /** Makes the store under test. */
    public interface StoreFactory {

        /**
         * @param redis the server
         * @param client the client of one process
         * @param mailbox its mailbox
         */
        OpenStore open(TestRedis redis, Redis client, Mailbox mailbox);
    }

    /**
     * A store and its connections.
     *
     * @param store the store
     * @param links to be closed after it
     */
    public record OpenStore(PermitStore store, List<RedisLink> links) {
    }

    private static final String MARK = "all-messages-have-come-";

    private final TestRedis redis;
    private final Redis admin;
    private final Process first;
    private final Process second;
    private long millis = 1_700_000_000_000L;
    private int marks;

    private static final class Process implements AutoCloseable {

        private final Redis client;
        private final OpenStore open;
        private final Mailbox mailbox;
        private final List<Notice> notices = new CopyOnWriteArrayList<>();

        private Process(TestRedis redis, TestStore kind, StoreFactory factory) {
            client = redis.newRestrictedClient(kind);
            mailbox = new Mailbox(redis.vertx(), client, "test", 20_000, new PoolShare(6));
            open = factory.open(redis, client, mailbox);
            open.store().listen(notices::add);
            mailbox.open();
            await().atMost(20, TimeUnit.SECONDS).until(() -> !notices.isEmpty());
            notices.clear();
        }

        @Override
        public void close() {
            mailbox.close();
            open.links().forEach(RedisLink::close);
            client.close();
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
        redis.command(admin, "SET", CLOCK, millis);
    }

    @Override
    public PermitStore first() {
        return first.open.store();
    }

    @Override
    public PermitStore second() {
        return second.open.store();
    }

    @Override
    public void advance(Duration duration) {
        millis += duration.toMillis();
        setClock();
    }

    @Override
    public List<Notice> notices(PermitStore store) {
        List<Notice> all = new ArrayList<>(store == first.open.store() ? first.notices : second.notices);
        all.removeIf(notice -> notice instanceof PermitFree free && free.permitId().startsWith(MARK));
        return all;
    }

    @Override
    public void settleNotices() {
        String mark = MARK + ++marks;
        for (Process process : List.of(first, second)) {
            // What a store sends after its answer has arrived when it answers again.
            process.open.store().occupancy(BulkheadId.of("nobody"), 0).toCompletableFuture().join();
            redis.command(admin, "PUBLISH", process.mailbox.name(), "free " + mark);
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
