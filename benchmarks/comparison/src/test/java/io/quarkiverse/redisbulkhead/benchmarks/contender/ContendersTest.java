package io.quarkiverse.redisbulkhead.benchmarks.contender;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

import jakarta.inject.Inject;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import io.quarkiverse.redisbulkhead.benchmarks.RedisOfApplication;
import io.quarkiverse.redisbulkhead.benchmarks.SharesInRedis;
import io.quarkiverse.redisbulkhead.benchmarks.load.AsynchronousCrew;
import io.quarkiverse.redisbulkhead.benchmarks.load.BlockingCrew;
import io.quarkiverse.redisbulkhead.benchmarks.load.Crew;
import io.quarkus.test.common.WithTestResource;
import io.quarkus.test.junit.QuarkusTest;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.params.ScanParams;

/** Every contender really does what is measured. */
@QuarkusTest
@WithTestResource(RedisOfApplication.class)
class ContendersTest {

    private static final int CALLERS = 8;
    private static final Duration MOMENT = Duration.ofMillis(100);
    private static final int MOMENTS = 100;

    // These two of the book let too many in, see docs/modules/ROOT/pages/algorithms.adoc.
    private static final Set<Kind> INEXACT = Set.of(Kind.BASIC, Kind.FAIR);

    @Inject
    BenchmarkEnvironment environment;

    private final AtomicInteger inside = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();
    private final AtomicInteger executions = new AtomicInteger();

    private void execution() {
        most.accumulateAndGet(inside.incrementAndGet(), Math::max);
        executions.incrementAndGet();
        Thread.yield();
        inside.decrementAndGet();
    }

    @ParameterizedTest
    @EnumSource
    void blockingCallersKeepTheLimitAndLeaveNothing(Kind kind) throws Exception {
        try (Contender contender = kind.open(environment, limit("blocking-" + kind.id()), CALLERS);
                Crew crew = new BlockingCrew(contender, CALLERS, this::execution)) {
            check(kind, pairs(crew));
        }
        assertThat(keysInUse()).as("keys when all is closed").isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void asynchronousCallersKeepTheLimitAndLeaveNothing(Kind kind) throws Exception {
        assumeTrue(kind.isAsynchronous(), "it has no asynchronous API");
        try (Contender contender = kind.open(environment, limit("asynchronous-" + kind.id()), CALLERS);
                Crew crew = new AsynchronousCrew(contender, CALLERS, this::execution)) {
            check(kind, pairs(crew));
        }
        assertThat(keysInUse()).as("keys when all is closed").isEmpty();
    }

    @ParameterizedTest
    @EnumSource(names = { "SCRIPT", "REDISSON_EXPIRABLE" })
    void fullLimitRejectsCallers(Kind kind) throws Exception {
        try (Contender contender = kind.open(environment, Limit.full("full-" + kind.id()), CALLERS);
                Crew crew = new BlockingCrew(contender::newRejectedCaller, CALLERS, this::execution)) {
            contender.hold(Limit.TIGHT);
            assertThat(pairs(crew)).as("rejections").isPositive();
            assertThat(executions).as("executions").hasValue(0);
        }
        assertThat(keysInUse()).as("keys when all is closed").isEmpty();
    }

    // On a busy machine, a moment may be over before the first pair.
    private static long pairs(Crew crew) throws Exception {
        long pairs = 0;
        for (int moment = 0; pairs == 0 && moment < MOMENTS; moment++) {
            pairs = crew.work(MOMENT).pairs();
        }
        return pairs;
    }

    private static Limit limit(String name) {
        return Limit.tight(name, RedisOfApplication.PERMITS);
    }

    private void check(Kind kind, long pairs) {
        assertThat(pairs).as("pairs").isPositive().isEqualTo(executions.get());
        if (kind.limits() && !INEXACT.contains(kind)) {
            assertThat(most.get()).as("executions at once").isPositive().isLessThanOrEqualTo(RedisOfApplication.PERMITS);
        }
        // A caller does not wait for the answer to its release.
        await().atMost(Duration.ofSeconds(20)).untilAsserted(
                () -> assertThat(sortedSets()).as("sets of those that hold or wait when all permits are back").isEmpty());
    }

    private Set<String> keysInUse() {
        try (Jedis jedis = environment.redis().connect()) {
            return SharesInRedis.keysInUse(jedis);
        }
    }

    private Iterable<String> sortedSets() {
        try (Jedis jedis = environment.redis().connect()) {
            return jedis.scan(ScanParams.SCAN_POINTER_START, new ScanParams().count(1_000), "zset").getResult();
        }
    }
}
