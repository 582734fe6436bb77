package io.quarkiverse.redisbulkhead.runtime.store.exploration;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.runtime.store.exploration.BatchedCalls.Call;
import io.quarkiverse.redisbulkhead.runtime.store.exploration.redis.LuaEngine;
import io.quarkiverse.redisbulkhead.runtime.store.exploration.redis.Published;
import io.quarkiverse.redisbulkhead.runtime.store.exploration.redis.RedisModel;
import io.quarkiverse.redisbulkhead.runtime.store.redis.BulkheadKeys.Part;
import io.quarkiverse.redisbulkhead.runtime.store.redis.ScriptTexts;

/**
 * Batched calls have the same replies and effects as the same calls in sequence at the same time. Each case starts with the
 * state after some random calls.
 */
class BatchTest {

    private static final int CASES = Integer.getInteger("batch.cases", 1_500);

    private static final String SCRIPT = ScriptTexts.of("bulkhead");

    private final LuaEngine lua = new LuaEngine();

    /** The outcome of the calls: the replies and the visible state of the bulkhead. */
    private record Result(List<String> replies, String state, List<String> messages) {
    }

    @Test
    void batchedCallsEqualSequentialCalls() {
        for (int seed = 0; seed < CASES; seed++) {
            Random random = new Random(seed);
            RedisModel before = someState(random);
            BatchedCalls calls = BatchedCalls.random(random, random.nextBoolean(), 2 + random.nextInt(7));

            assertThat(together(before, calls, SCRIPT)).as("seed %d: %s, in %s", seed, calls, before)
                    .isEqualTo(oneByOne(before, calls, SCRIPT));
        }
    }

    /** A permit is handed over to a waiter that releases it in the same batch. */
    @Test
    void waiterServedInTheBatchIsReleased() {
        RedisModel before = waiting(acquire(1, true, "a"), acquire(1, true, "b"), acquire(1, true, "c"));

        agree(before, BatchedCalls.of("me", Call.release("a"), Call.release("b")));
    }

    /** A light standby waiter is notified of a permit that does not suffice for the heavy one before it. */
    @Test
    void releasesWithHeavyAndLightStandbyWaiters() {
        RedisModel before = waiting(acquire(3, false, "a"), acquire(3, false, "b"), acquire(3, false, "c"),
                acquire(3, false, "*2*heavy"), acquire(3, false, "light"), acquire(3, false, "last"));

        agree(before, BatchedCalls.of("me", Call.release("a"), Call.release("b")));
    }

    /** The head leaves the queue because its new limit is below its weight. */
    @Test
    void headOfTheQueueIsRefused() {
        RedisModel before = waiting(acquire(2, true, "a"), acquire(2, true, "*2*heavy"));

        agree(before, BatchedCalls.of("me", acquire(2, true, "b"), acquire(1, true, "*2*heavy"), acquire(9, true, "c")));
    }

    private static Call acquire(int limit, boolean fair, String id) {
        return new Call(BatchedCalls.terms(Integer.toString(limit), "9000", "2000", fair, "me"), "acquire", id, "");
    }

    private RedisModel waiting(Call... calls) {
        RedisModel redis = new RedisModel(BulkheadView.NOW * 1000 - 10_000);
        for (Call call : calls) {
            lua.run(redis, SCRIPT, BulkheadView.NAMES, BatchedCalls.of("me", call).arguments());
        }
        redis.setMicros(BulkheadView.NOW * 1000);
        redis.takePublished();
        return redis;
    }

    private void agree(RedisModel before, BatchedCalls calls) {
        assertThat(together(before, calls, SCRIPT)).isEqualTo(oneByOne(before, calls, SCRIPT));
    }

    /** So that a batch does not block Redis longer than a single call. */
    @Test
    void batchRemovesNoMoreExpiredEntriesThanASingleCall() {
        RedisModel redis = new RedisModel(BulkheadView.NOW * 1000);
        String dead = "for i = 1, 3000 do redis.call('ZADD', KEYS[1], 1, 'dead' .. i) end return redis.call('ZCARD', KEYS[1])";
        assertThat(lua.run(redis, dead, BulkheadView.NAMES, List.of())).isEqualTo(3_000L);
        BatchedCalls calls = new BatchedCalls("me", IntStream.range(0, 20).mapToObj(
                i -> new Call(BatchedCalls.terms("9", "3000", "0", true, "me"), "acquire", "p" + i, "")).toList());

        lua.run(redis, SCRIPT, BulkheadView.NAMES, calls.arguments());

        assertThat(lua.run(redis, "return redis.call('ZCARD', KEYS[1])", BulkheadView.NAMES, List.of())).isEqualTo(2_009L);
    }

    // The clock does not advance during calls, as within a script.
    private RedisModel someState(Random random) {
        boolean calm = random.nextBoolean();
        RedisModel redis = new RedisModel(BulkheadView.NOW * 1000 - 20_000_000);
        if (random.nextInt(4) == 0) {
            Call cancel = Call.cancel("p" + random.nextInt(8), random.nextBoolean() ? "1000" : "60000");
            lua.run(redis, SCRIPT, BulkheadView.NAMES, BatchedCalls.of("me", cancel).arguments());
        }
        if (random.nextInt(6) == 0) {
            lua.run(redis, SCRIPT, BulkheadView.NAMES,
                    List.of("me", "0", "0", "resize", Integer.toString(1 + random.nextInt(4))));
        }
        int steps = random.nextInt(8);
        for (int i = 0; i < steps; i++) {
            lua.run(redis, SCRIPT, BulkheadView.NAMES, BatchedCalls.random(random, calm, 1).arguments());
            redis.setMicros(BulkheadView.NOW * 1000 - 10_000 * (steps - i) * (1 + random.nextInt(80)));
        }
        redis.setMicros(BulkheadView.NOW * 1000);
        redis.takePublished();
        return redis;
    }

    private Result together(RedisModel before, BatchedCalls calls, String script) {
        RedisModel redis = before.copy();
        Object reply = lua.run(redis, script, BulkheadView.NAMES, calls.arguments());
        return result(redis, ScriptTexts.answers(reply), ScriptTexts.notices(reply));
    }

    private Result oneByOne(RedisModel before, BatchedCalls calls, String script) {
        RedisModel redis = before.copy();
        List<String> replies = new ArrayList<>();
        List<String> messages = new ArrayList<>();
        for (Call call : calls.calls()) {
            Object reply = lua.run(redis, script, BulkheadView.NAMES, BatchedCalls.of(calls.process(), call).arguments());
            replies.addAll(ScriptTexts.answers(reply));
            messages.addAll(ScriptTexts.notices(reply));
        }
        return result(redis, replies, messages);
    }

    // Expired entries may remain, and times to live may be longer; neither is visible.
    private static Result result(RedisModel redis, List<String> replies, List<String> messages) {
        BulkheadView view = new BulkheadView(redis);
        Map<String, Object> state = new TreeMap<>();
        state.put("holders", view.holders());
        state.put("in use", view.inUse());
        state.put("waiters", view.waiters());
        for (Part part : List.of(Part.QUEUE, Part.STANDBY)) {
            state.put(part.name(), alive(view.scores(part), view));
        }
        state.put("cancelled", view.scores(Part.CANCELLED).entrySet().stream().filter(one -> one.getValue() > BulkheadView.NOW)
                .map(Object::toString).sorted().toList());
        state.put("grace period", view.isGracePeriod());
        state.put("details", alive(view.records(), view));
        state.put("limits", view.state().getOrDefault("declared limits", "") + view.state().get("set limit"));
        for (String name : redis.names()) {
            assertThat(redis.expiresAt(name)).as("expiry of " + name).isLessThan(RedisModel.NEVER);
        }
        long lastEnd = view.holders().values().stream().mapToLong(Long::longValue).max().orElse(0);
        if (lastEnd > 0) {
            for (Part part : List.of(Part.HOLDERS, Part.STATE)) {
                assertThat(redis.expiresAt(BulkheadView.key(part)) - BulkheadView.NOW)
                        .as("how long %s lives, when the last lease ends after %d ms", part, lastEnd)
                        .isGreaterThanOrEqualTo(lastEnd);
            }
        }
        return new Result(replies, state.toString(), Stream.concat(redis.takePublished().stream().map(Published::text),
                messages.stream()).flatMap(String::lines)
                .sorted(Comparator.naturalOrder()).collect(Collectors.toList()));
    }

    private static Map<String, Object> alive(Map<String, ?> all, BulkheadView view) {
        Map<String, Object> alive = new TreeMap<>(all);
        alive.keySet().removeIf(id -> !view.holders().containsKey(id) && !view.waiters().containsKey(id));
        return alive;
    }
}
