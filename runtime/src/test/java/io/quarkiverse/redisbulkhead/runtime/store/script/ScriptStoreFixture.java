package io.quarkiverse.redisbulkhead.runtime.store.script;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import io.quarkiverse.redisbulkhead.runtime.store.Notice;
import io.quarkiverse.redisbulkhead.runtime.store.Notice.PermitFree;
import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.StoreFixture;
import io.quarkiverse.redisbulkhead.runtime.store.redis.Mailbox;
import io.quarkiverse.redisbulkhead.runtime.store.redis.RedisLink;
import io.quarkiverse.redisbulkhead.runtime.store.redis.TestRedis;
import io.vertx.redis.client.Redis;

/**
 * Two processes on a real Redis, with a clock that the test moves: the scripts read it from keys instead of asking for
 * the time. The keys themselves live by the server's own clock, which would let them expire in a slow test; so they
 * live an hour longer.
 */
final class ScriptStoreFixture implements StoreFixture {

    private static final String MARK = "all-messages-have-come-";

    private final TestRedis redis;
    private final Redis admin;
    private final Process first;
    private final Process second;
    private long millis = 1_700_000_000_000L;
    private int marks;

    private static final class Process implements AutoCloseable {

        private final Redis client;
        private final RedisLink link;
        private final Mailbox mailbox;
        private final ScriptPermitStore store;
        private final List<Notice> notices = new CopyOnWriteArrayList<>();

        private Process(TestRedis redis) {
            client = redis.newClient();
            link = new RedisLink(redis.vertx(), client, Duration.ofSeconds(20), 1024);
            mailbox = new Mailbox(redis.vertx(), client, "test", 20_000);
            store = new ScriptPermitStore(link, mailbox, "test", ScriptStoreFixture::withOwnClock);
            store.listen(notices::add);
            mailbox.open();
            await().atMost(20, TimeUnit.SECONDS).until(() -> !notices.isEmpty());
            notices.clear();
        }

        @Override
        public void close() {
            mailbox.close();
            link.close();
            client.close();
        }
    }

    ScriptStoreFixture(TestRedis redis) {
        this.redis = redis;
        this.admin = redis.newClient();
        setClock();
        first = new Process(redis);
        second = new Process(redis);
    }

    private static LuaScript withOwnClock(LuaScript script) {
        return LuaScript.of(replace(
                replace(script.text(), "redis.call('TIME')", "{ redis.call('GET', 'clock'), 0 }"),
                "local SLACK = 1000\n", "local SLACK = 3600000\n")
                .replace("tonumber(time[1]) * 1000000", "tonumber(time[1]) * 1000"));
    }

    private static String replace(String text, String old, String now) {
        if (!text.contains(old)) {
            throw new AssertionError("No " + old + " in " + text);
        }
        return text.replace(old, now);
    }

    private void setClock() {
        redis.command(admin, "SET", "clock", millis);
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
    public void settleNotices() {
        String mark = MARK + ++marks;
        for (Process process : List.of(first, second)) {
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
