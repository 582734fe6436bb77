package io.quarkiverse.redisbulkhead.runtime.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.PermitLost.Reason;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Admission;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Engine;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Engine.HolderIdentity;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.RealTimers;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Semaphore;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.WaiterLimits;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.Position;
import io.quarkiverse.redisbulkhead.runtime.store.ShareMessage;
import io.quarkiverse.redisbulkhead.runtime.store.ShareOverview;
import io.quarkiverse.redisbulkhead.runtime.store.ShareStore;
import io.quarkiverse.redisbulkhead.runtime.store.Statement;
import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import io.vertx.redis.client.ResponseType;

/**
 * Five hundred instances of one bulkhead with a thousand permits, each with an engine of its own. They use the script in a real
 * Redis, over one connection. {@code -Dload.seconds} sets how long they are under load; from ten seconds on, the time that
 * Redis takes for a statement is checked.
 */
class ManyInstancesTest {

    private static final int INSTANCES = 500;
    private static final int PERMITS = 1_000;
    private static final int SECONDS = Integer.getInteger("load.seconds", 1);
    private static final int CALLERS_OF_EACH = 4;
    private static final Duration HOLD = Duration.ofMillis(500);
    private static final SemaphoreSpec SPEC = SemaphoreSpec.named("many").permits(PERMITS).expire(Duration.ofSeconds(60))
            .maxWait(Duration.ofMinutes(5)).build();
    private static final String SCRIPT = ScriptSteps.script();
    private static final String SHA1 = BulkheadKeys.digest("SHA-1", SCRIPT.getBytes(StandardCharsets.UTF_8));
    private static final String KEY = "test:{many}:shares";
    private static final String QUEUE = "test:{many}:waiting";

    private final RealTimers timers = new RealTimers();
    private final Map<String, Consumer<ShareMessage>> listeners = new ConcurrentHashMap<>();
    private final Map<String, LongAdder> messages = new ConcurrentHashMap<>();
    private final List<Engine> engines = new ArrayList<>();
    private final AtomicInteger running = new AtomicInteger();
    private final AtomicInteger mostRunning = new AtomicInteger();
    private final LongAdder executions = new LongAdder();
    private final List<Throwable> failures = java.util.Collections.synchronizedList(new ArrayList<>());
    private final List<PermitLost> losses = java.util.Collections.synchronizedList(new ArrayList<>());
    private TestRedis redis;
    private Redis client;
    private RedisConnection commands;

    /** The store of one instance. */
    private final class Connected implements ShareStore {

        private final String channel;

        private Connected(String channel) {
            this.channel = channel;
        }

        private Future<Response> run(List<String> args) {
            Request request = Request.cmd(Command.EVALSHA).arg(SHA1).arg(2).arg(KEY).arg(QUEUE);
            args.forEach(request::arg);
            return commands.send(request);
        }

        @Override
        public void whenReady(Runnable task) {
            task.run();
        }

        @Override
        public CompletionStage<Position> sync(Statement statement) {
            return run(ShareCodec.sync(channel, statement))
                    .map(reply -> ShareCodec.position((List<?>) RedisShareStore.value(reply)))
                    .toCompletionStage();
        }

        @Override
        public CompletionStage<Integer> revoke(BulkheadId bulkhead, String instance, String permitId, int permits) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<Boolean> resize(BulkheadId bulkhead, int limit) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<ShareOverview> look(BulkheadId bulkhead, int most) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void listen(Consumer<ShareMessage> listener) {
            listeners.put(channel, listener);
        }
    }

    @BeforeEach
    void start() {
        redis = new TestRedis();
        redis.command("SCRIPT", "LOAD", SCRIPT);
        client = redis.newClient();
        commands = join(client.connect());
        RedisConnection subscription = join(client.connect());
        subscription.handler(this::received);
        join(subscription.send(Request.cmd(Command.PSUBSCRIBE).arg("test:instance:*")));
        for (int i = 0; i < INSTANCES; i++) {
            String name = "test:instance:" + i;
            engines.add(new Engine("i" + i, new Connected(name), null, timers, new HolderIdentity("app", name),
                    losses::add, new WaiterLimits(Integer.MAX_VALUE),
                    Duration.ofSeconds(30)));
        }
    }

    @AfterEach
    void stop() {
        engines.forEach(Engine::close);
        client.close();
        redis.close();
    }

    private static <T> T join(Future<T> future) {
        return future.toCompletionStage().toCompletableFuture().orTimeout(30, TimeUnit.SECONDS).join();
    }

    private void received(Response message) {
        if (message.type() == ResponseType.MULTI || message.type() == ResponseType.PUSH) {
            if (message.get(0).toString().equals("pmessage")) {
                String text = message.get(3).toString();
                messages.computeIfAbsent(text.substring(0, text.indexOf(' ')), kind -> new LongAdder()).increment();
                ShareCodec.message(text, key -> Optional.of(BulkheadId.of("many")))
                        .ifPresent(listeners.get(message.get(2).toString()));
            }
        }
    }

    private long messages(String kind) {
        return messages.getOrDefault(kind, new LongAdder()).sum();
    }

    /** Calls that hold a permit until the future completes. */
    private CompletableFuture<Void> call(int instance, CompletionStage<?> until) {
        Admission admission = new Semaphore(engines.get(instance), SPEC, true).admit("Test#call");
        return admission.granted().thenCompose(permits -> {
            mostRunning.accumulateAndGet(running.incrementAndGet(), Math::max);
            executions.increment();
            return until;
        }).thenCompose(over -> {
            running.decrementAndGet();
            return admission.end();
        }).<Void> handle((ended, failure) -> {
            if (failure != null) {
                failures.add(failure);
            }
            return null;
        }).toCompletableFuture();
    }

    private CompletionStage<Void> held() {
        CompletableFuture<Void> over = new CompletableFuture<>();
        timers.after(HOLD, () -> over.complete(null));
        return over;
    }

    private void callRepeatedly(int instance, long endNanos, CountDownLatch callers) {
        call(instance, held()).whenComplete((done, failure) -> {
            if (System.nanoTime() - endNanos < 0) {
                callRepeatedly(instance, endNanos, callers);
            } else {
                callers.countDown();
            }
        });
    }

    @Test
    void fiveHundredInstancesShareAThousandPermits() throws Exception {
        // Fifty instances use all permits, and keep them when they are idle.
        CompletableFuture<Void> over = new CompletableFuture<>();
        List<CompletableFuture<Void>> first = new ArrayList<>();
        for (int i = 0; i < PERMITS; i++) {
            first.add(call(i % 50, over));
        }
        await().atMost(Duration.ofSeconds(30)).until(() -> running.get() == PERMITS);
        over.complete(null);
        CompletableFuture.allOf(first.toArray(CompletableFuture[]::new)).get(30, TimeUnit.SECONDS);
        messages.clear();
        executions.reset();
        redis.command("CONFIG", "RESETSTAT");

        long begin = System.nanoTime();
        CountDownLatch callers = new CountDownLatch(INSTANCES * CALLERS_OF_EACH);
        for (int i = 0; i < INSTANCES * CALLERS_OF_EACH; i++) {
            callRepeatedly(i % INSTANCES, begin + TimeUnit.SECONDS.toNanos(SECONDS), callers);
        }
        assertThat(callers.await(SECONDS + 120, TimeUnit.SECONDS)).as("all calls end").isTrue();
        double seconds = (System.nanoTime() - begin) / 1e9;
        Matcher statements = Pattern.compile("cmdstat_evalsha:calls=(\\d+),usec=(\\d+),usec_per_call=([0-9.]+)")
                .matcher(redis.command("INFO", "commandstats").toString());
        assertThat(statements.find()).isTrue();
        long calls = Long.parseLong(statements.group(1));
        double microsOfEach = Double.parseDouble(statements.group(3));
        System.out.printf("%d instances, %d permits: %d executions and %d statements in %.1f s, %.1f us of Redis each, "
                + "%d recalls, %d grants, %d losses, at most %d executions at a time%n", INSTANCES, PERMITS, executions.sum(),
                calls,
                seconds, microsOfEach, messages("recalled"), messages("granted"), losses.size(), mostRunning.get());

        assertThat(failures).isEmpty();
        // An offer ends if it is not confirmed in time, and this process may be that slow. Such an execution runs on without a permit.
        assertThat(losses).extracting(PermitLost::reason).isSubsetOf(Reason.LEASE_ENDED);
        assertThat(mostRunning.get()).isLessThanOrEqualTo(PERMITS + losses.size());
        assertThat(messages("recalled")).as("recalls, of at most 64 instances that keep permits, every 200 ms for a second")
                .isLessThanOrEqualTo(64 * 6);
        assertThat(messages("granted")).as("grants by message").isLessThanOrEqualTo(executions.sum());
        // A need, a confirmation and a return for each execution; and one a second where calls wait.
        assertThat(calls).as("statements").isLessThanOrEqualTo(
                (long) (4 * executions.sum() + 2 * INSTANCES * (seconds + 2) + messages("recalled")));
        if (SECONDS >= 10) {
            assertThat(microsOfEach).as("microseconds of Redis for a statement").isLessThan(100);
        }
        await().atMost(Duration.ofSeconds(30)).untilAsserted(
                () -> assertThat(StoredShares.granted(redis, KEY)).as("permits in Redis afterwards").isZero());
    }
}
