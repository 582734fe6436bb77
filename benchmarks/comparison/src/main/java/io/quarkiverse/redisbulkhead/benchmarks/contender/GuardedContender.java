package io.quarkiverse.redisbulkhead.benchmarks.contender;

import static io.quarkiverse.redisbulkhead.benchmarks.contender.GuardedCalls.AMPLE;
import static io.quarkiverse.redisbulkhead.benchmarks.contender.GuardedCalls.AMPLE_FAIR;
import static io.quarkiverse.redisbulkhead.benchmarks.contender.GuardedCalls.KEYED;
import static io.quarkiverse.redisbulkhead.benchmarks.contender.GuardedCalls.TIGHT;
import static io.quarkiverse.redisbulkhead.benchmarks.contender.GuardedCalls.TIGHT_FAIR;

import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import java.util.stream.IntStream;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Semaphore;
import io.smallrye.mutiny.Uni;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.params.ScanParams;
import redis.clients.jedis.resps.ScanResult;

/** Calls of guarded methods, through the container and its interceptor. A limit of its own is a key of a shared bulkhead. */
public final class GuardedContender implements Contender {

    private static final int SCANNED_AT_ONCE = 1_000;

    private final BenchmarkEnvironment environment;
    private final GuardedCalls calls;
    private final String bulkhead;
    private final Limit limit;
    private final boolean fair;
    private OwnApplication holder;

    GuardedContender(BenchmarkEnvironment environment, Limit limit, boolean fair) {
        this.environment = environment;
        this.calls = environment.calls();
        this.bulkhead = (limit.isTight() ? TIGHT : AMPLE) + (fair ? "-fair" : "") + (limit.isKey() ? KEYED : "");
        this.limit = limit;
        this.fair = fair;
    }

    @Override
    public BlockingCaller newBlockingCaller() {
        String key = limit.name();
        return switch (bulkhead) {
            case AMPLE -> calls::ample;
            case AMPLE_FAIR -> calls::ampleFair;
            case TIGHT -> calls::tight;
            case TIGHT_FAIR -> calls::tightFair;
            case AMPLE + KEYED -> execution -> calls.ample(key, execution);
            case AMPLE_FAIR + KEYED -> execution -> calls.ampleFair(key, execution);
            default -> throw new UnsupportedOperationException("No blocking method has the bulkhead " + bulkhead);
        };
    }

    @Override
    public AsynchronousCaller newAsynchronousCaller() {
        String key = limit.name();
        Function<Runnable, Uni<Void>> method = switch (bulkhead) {
            case AMPLE -> calls::ampleUni;
            case AMPLE_FAIR -> calls::ampleFairUni;
            case TIGHT -> calls::tightUni;
            case TIGHT_FAIR -> calls::tightFairUni;
            case TIGHT + KEYED -> execution -> calls.tightUni(key, execution);
            case TIGHT_FAIR + KEYED -> execution -> calls.tightFairUni(key, execution);
            default -> throw new UnsupportedOperationException("No asynchronous method has the bulkhead " + bulkhead);
        };
        return OwnApplication.newAsynchronousCaller(environment.vertx(), method);
    }

    @Override
    public void hold(int permits) throws InterruptedException {
        hold(Collections.nCopies(permits, limit.name()));
    }

    // Not by guarded calls: the application would renew their permits meanwhile.
    private void hold(Collection<String> keys) throws InterruptedException {
        holder = new OwnApplication(OwnStore.script(environment), environment.vertx());
        Semaphore semaphore = holder.semaphore(SemaphoreSpec.named(bulkhead).permits(limit.permits()).fair(fair)
                .expire(Limit.LEASE).maxWait(limit.maxWait()).build());
        holder.hold(() -> keys.stream().map(key -> semaphore.forKey(key, OptionalInt.empty())).iterator());
    }

    /**
     * Callers each of whose calls is for a key by chance.
     *
     * @param environment what it runs in
     * @param name the start of all keys
     * @param keys how many there are; one permit of each is held
     */
    public static Contender withKeys(BenchmarkEnvironment environment, String name, int keys) throws InterruptedException {
        GuardedContender contender = new GuardedContender(environment, Limit.ample(name).asKey(), false);
        List<String> all = IntStream.range(0, keys).mapToObj(key -> name + "-tenant-" + key).toList();
        contender.hold(all);
        return new Contender() {

            @Override
            public BlockingCaller newBlockingCaller() {
                return execution -> contender.calls.ample(all.get(ThreadLocalRandom.current().nextInt(keys)), execution);
            }

            @Override
            public void close() {
                contender.close();
            }
        };
    }

    @Override
    public void close() {
        if (holder != null) {
            holder.close();
        }
        String start = OwnStore.KEY_PREFIX + ":{" + bulkhead;
        ScanParams pattern = new ScanParams().match(start + (limit.isKey() ? "%:" + limit.name() + "[-}]*" : "}*"))
                .count(SCANNED_AT_ONCE);
        try (Jedis jedis = environment.redis().connect()) {
            String cursor = ScanParams.SCAN_POINTER_START;
            do {
                ScanResult<String> found = jedis.scan(cursor, pattern);
                if (!found.getResult().isEmpty()) {
                    jedis.unlink(found.getResult().toArray(String[]::new));
                }
                cursor = found.getCursor();
            } while (!cursor.equals(ScanParams.SCAN_POINTER_START));
        }
    }
}
