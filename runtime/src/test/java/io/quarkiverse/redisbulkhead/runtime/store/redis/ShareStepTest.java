package io.quarkiverse.redisbulkhead.runtime.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.runtime.store.ComparedShares;
import io.quarkiverse.redisbulkhead.runtime.store.Position;
import io.quarkiverse.redisbulkhead.runtime.store.Statement;
import io.quarkiverse.redisbulkhead.runtime.store.Statement.Need;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException.Kind;
import io.quarkiverse.redisbulkhead.runtime.store.exploration.redis.RedisModel;
import io.vertx.core.Future;

/**
 * The commands of several instances in any order, with locks that end during steps and instances that die within them: what has
 * an effect is always a sequence of whole steps.
 */
class ShareStepTest {

    private static final long START_MICROS = 1_700_000_000_000_000L;
    private static final Duration STEP_TIMEOUT = Duration.ofMillis(50);

    private final RedisModel redis = new RedisModel(START_MICROS);
    private final ComparedShares expected = new ComparedShares.Machine();
    private long micros = START_MICROS;
    private int done;
    private int contended;

    private final class Instance {

        private final String name;
        private final ShareStep step;
        private ModelConnection connection = new ModelConnection(redis);
        private Statement statement;
        private Future<Position> answer;
        private long readAt;
        private long number;
        private Position last;
        private long returned;

        private Instance(int i) {
            name = "k:instance:" + i;
            step = new ShareStep(new BulkheadKeys("k", ComparedShares.BULKHEAD), name, STEP_TIMEOUT);
        }

        private void begin(Random random) {
            long granted = last == null ? 0 : last.granted();
            returned += granted > returned && random.nextBoolean() ? 1 : 0;
            statement = new Statement(ComparedShares.BULKHEAD, ++number, last == null ? 0 : last.epoch(), granted, returned, 0,
                    600_000, 3, false, random.nextBoolean(),
                    random.nextInt(3) == 0 ? List.of(new Need(0, number, 1 + random.nextInt(2), 1)) : List.of(),
                    random.nextBoolean() ? List.of(new Need(0, 0, 1, 1)) : List.of(), 0, 0, "", -1, List.of(), List.of());
            answer = step.over(connection, machine -> machine.sync(name, statement));
        }

        private void go(Random random) {
            if (connection.next().isEmpty()) {
                begin(random);
                return;
            }
            readAt = connection.next().equals("TIME") ? micros : readAt;
            boolean wasDone = answer.isComplete();
            connection.executeNext();
            if (!wasDone && answer.succeeded()) {
                done++;
                expected.at(readAt, "run1");
                assertThat(answer.result()).isEqualTo(expected.sync(name, statement));
                assertThat(redis.hash(ComparedShares.HASH)).isEqualTo(expected.stored().fields());
                assertThat(ComparedShares.stored(redis).queue()).isEqualTo(expected.stored().queue());
                returned = last != null && last.epoch() == answer.result().epoch() ? returned : 0;
                last = answer.result();
            } else if (!wasDone && answer.failed()) {
                assertThat(answer.cause()).matches(failure -> StoreException.is(failure, Kind.CONTENDED));
                contended++;
            }
        }

        private void die() {
            connection = new ModelConnection(redis);
        }
    }

    @Test
    void anyOrderOfCommandsIsASequenceOfSteps() {
        redis.setMicros(micros);
        Random random = new Random(1);
        List<Instance> instances = IntStream.range(0, 3).mapToObj(Instance::new).toList();
        for (int i = 0; i < 100_000; i++) {
            Instance instance = instances.get(random.nextInt(instances.size()));
            switch (random.nextInt(100)) {
                case 0 -> instance.die();
                case 1, 2 -> {
                    micros += random.nextInt(60_000);
                    redis.setMicros(micros);
                }
                default -> instance.go(random);
            }
        }
        assertThat(done).isGreaterThan(1_000);
        assertThat(contended).isGreaterThan(1_000);
    }
}
