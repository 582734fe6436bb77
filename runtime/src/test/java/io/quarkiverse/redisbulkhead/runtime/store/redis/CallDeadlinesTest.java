package io.quarkiverse.redisbulkhead.runtime.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisConnection;

/** When calls are given up, and over which connections an answer is missing. */
class CallDeadlinesTest {

    private static final Duration TIMEOUT = Duration.ofMillis(200);
    private static final LongSupplier NO_ANSWERS = new LongSupplier() {

        private final long created = System.nanoTime();

        @Override
        public long getAsLong() {
            return created;
        }
    };

    private final TestRedis redis = new TestRedis();
    private final Queue<RedisSession> silent = new ConcurrentLinkedQueue<>();
    private Redis client;
    private RedisSession session;
    private Context context;

    @BeforeEach
    void start() throws Exception {
        client = redis.newClient();
        RedisConnection connection = client.connect().toCompletionStage().toCompletableFuture().get(20, TimeUnit.SECONDS);
        session = new RedisSession(redis.vertx(), connection, 1, null, end -> {
        });
        context = redis.vertx().getOrCreateContext();
    }

    @AfterEach
    void stop() {
        session.close();
        client.close();
        redis.close();
    }

    private CallDeadlines deadlines(Duration timeout, LongSupplier answeredNanos) {
        return new CallDeadlines(redis.vertx(), timeout, answeredNanos, silent::add);
    }

    private void onContext(Runnable task) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        context.runOnContext(now -> {
            task.run();
            done.complete(null);
        });
        assertThat(done).succeedsWithin(Duration.ofSeconds(20));
    }

    private static PendingCall<String> call(Duration old) {
        return new PendingCall<>(new RedisCall<>() {

            @Override
            public Future<String> over(RedisConnection connection) {
                throw new IllegalStateException("is not sent");
            }

            @Override
            public String about() {
                return "a test";
            }
        }, System.nanoTime() - old.toNanos());
    }

    private StoreException failure(PendingCall<?> call) {
        CompletableFuture<Throwable> failure = call.answer.handle((answer, cause) -> cause);
        assertThat(failure).succeedsWithin(Duration.ofSeconds(20));
        // What happens when a call is given up has happened then.
        onContext(() -> {
        });
        return (StoreException) failure.join();
    }

    /** While a call waits behind others, their answers are signs of life; but Redis may be slower than calls come. */
    @Test
    void aCallThatIsNeverSentIsGivenUpThoughOthersAreAnswered() {
        PendingCall<String> call = call(Duration.ZERO);
        long begun = System.nanoTime();
        onContext(() -> deadlines(TIMEOUT, System::nanoTime).watch(call));

        StoreException failure = failure(call);

        assertThat(failure).hasMessageContaining("more slowly than calls come");
        assertThat(failure.outcomeUnknown()).isFalse();
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).as("more time than without answers")
                .isGreaterThan(TIMEOUT.multipliedBy(5));
        assertThat(silent).isEmpty();
    }

    @Test
    void aCallThatIsNeverSentIsGivenUpInTimeWhenNobodyIsAnswered() {
        PendingCall<String> call = call(Duration.ZERO);
        onContext(() -> deadlines(TIMEOUT, NO_ANSWERS).watch(call));

        assertThat(failure(call)).hasMessageContaining("did not answer within 200 ms");
        assertThat(silent).isEmpty();
    }

    /** Others were answered while it waited, and then nobody was any more. */
    @Test
    void aCallThatIsNeverSentIsToldOfSilenceThatBeganWhileItWaited() {
        PendingCall<String> call = call(Duration.ZERO);
        long answered = System.nanoTime() + TIMEOUT.toNanos();
        onContext(() -> deadlines(TIMEOUT, () -> answered).watch(call));

        assertThat(failure(call)).hasMessageContaining("did not answer within 200 ms");
    }

    @Test
    void theConnectionOverWhichAnAnswerIsMissingIsTold() {
        PendingCall<String> call = call(Duration.ZERO);
        onContext(() -> {
            call.isSentOver(session);
            deadlines(TIMEOUT, NO_ANSWERS).watch(call);
        });

        assertThat(failure(call).outcomeUnknown()).isTrue();
        assertThat(silent).containsExactly(session);
    }

    /** A call may have lost its time elsewhere. The connection that it was sent over at last is none the worse for it. */
    @Test
    void aNewConnectionIsNotBlamedForTheTimeBeforeIt() {
        Duration aMinute = Duration.ofMinutes(1);
        PendingCall<String> call = call(aMinute);
        onContext(() -> {
            call.isSentOver(session);
            deadlines(aMinute, NO_ANSWERS).watch(call);
        });

        assertThat(failure(call)).hasMessageContaining("did not answer within 60000 ms");
        assertThat(silent).isEmpty();
    }
}
