package io.quarkiverse.redisbulkhead.benchmarks.contender;

import static io.quarkiverse.redisbulkhead.benchmarks.contender.GuardedCalls.AMPLE;
import static io.quarkiverse.redisbulkhead.benchmarks.contender.GuardedCalls.AMPLE_FAIR;
import static io.quarkiverse.redisbulkhead.benchmarks.contender.GuardedCalls.FULL;
import static io.quarkiverse.redisbulkhead.benchmarks.contender.GuardedCalls.KEYED;
import static io.quarkiverse.redisbulkhead.benchmarks.contender.GuardedCalls.RETURNING;
import static io.quarkiverse.redisbulkhead.benchmarks.contender.GuardedCalls.TIGHT;
import static io.quarkiverse.redisbulkhead.benchmarks.contender.GuardedCalls.TIGHT_FAIR;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.Supplier;
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
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final BenchmarkEnvironment environment;
    private final GuardedCalls calls;
    private final String bulkhead;
    private final Limit limit;
    private OtherInstance holder;

    private GuardedContender(BenchmarkEnvironment environment, Limit limit, boolean fair, boolean keepsIdle) {
        this.environment = environment;
        this.calls = environment.calls();
        this.bulkhead = (limit.isTight() ? TIGHT : limit.isFull() ? FULL : AMPLE) + (fair ? "-fair" : "")
                + (keepsIdle ? "" : RETURNING) + (limit.isKey() ? KEYED : "");
        this.limit = limit;
    }

    /** Guarded methods; in a process without an application, what is behind their interceptor. */
    static Contender of(BenchmarkEnvironment environment, Limit limit, boolean fair) {
        return environment.calls() == null ? new OwnContender(environment, OwnStore.script(environment), limit, fair)
                : new GuardedContender(environment, limit, fair, true);
    }

    /** Guarded methods that keep no idle permits. */
    static Contender returning(BenchmarkEnvironment environment, Limit limit, boolean fair) {
        return new GuardedContender(environment, limit, fair, false);
    }

    @Override
    public BlockingCaller newBlockingCaller() {
        String key = limit.name();
        return switch (bulkhead) {
            case AMPLE -> calls::ample;
            case AMPLE_FAIR -> calls::ampleFair;
            case TIGHT -> calls::tight;
            case TIGHT_FAIR -> calls::tightFair;
            case FULL -> calls::full;
            case AMPLE + RETURNING -> calls::ampleReturning;
            case AMPLE_FAIR + RETURNING -> calls::ampleFairReturning;
            case TIGHT + RETURNING -> calls::tightReturning;
            case TIGHT_FAIR + RETURNING -> calls::tightFairReturning;
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
        hold(List.of(limit.name()), permits);
    }

    private void hold(List<String> keys, int permits) throws InterruptedException {
        Semaphore semaphore = new Semaphore(null, SemaphoreSpec.named(bulkhead).permits(limit.permits()).build(), true);
        holder = new OtherInstance(environment);
        holder.hold(limit.isKey() ? () -> keys.stream().map(key -> semaphore.forKey(key, OptionalInt.empty())).iterator()
                : List.of(semaphore), permits);
    }

    /**
     * Callers each of whose calls is for a key by chance.
     *
     * @param environment what it runs in
     * @param name the start of all keys
     * @param keys how many there are; another instance holds one permit of each
     */
    public static Contender withKeys(BenchmarkEnvironment environment, String name, int keys) throws InterruptedException {
        GuardedContender contender = new GuardedContender(environment, Limit.ample(name).asKey(), false, true);
        List<String> all = contender.keys(keys);
        contender.hold(all, 1);
        return contender.choosing(() -> all.get(ThreadLocalRandom.current().nextInt(keys)));
    }

    /**
     * Callers each of whose calls is for the next key.
     *
     * @param environment what it runs in
     * @param name the start of all keys
     * @param keys how many there are; no other instance uses them
     */
    public static Contender withKeysInTurn(BenchmarkEnvironment environment, String name, int keys) {
        GuardedContender contender = new GuardedContender(environment, Limit.ample(name).asKey(), false, true);
        List<String> all = contender.keys(keys);
        AtomicInteger next = new AtomicInteger();
        return contender.choosing(() -> all.get(Math.floorMod(next.getAndIncrement(), keys)));
    }

    private List<String> keys(int number) {
        return IntStream.range(0, number).mapToObj(key -> limit.name() + "-tenant-" + key).toList();
    }

    private Contender choosing(Supplier<String> key) {
        return new Contender() {

            @Override
            public BlockingCaller newBlockingCaller() {
                return execution -> calls.ample(key.get(), execution);
            }

            @Override
            public void close() {
                GuardedContender.this.close();
            }
        };
    }

    /** Waits until the application has returned its idle permits: if their keys were gone, it would make new ones. */
    @Override
    public void close() {
        if (holder != null) {
            holder.close();
        }
        try (Jedis jedis = environment.redis().connect()) {
            List<String> left = keysIn(jedis);
            long deadline = System.nanoTime() + PATIENCE_NANOS;
            while (left.stream().anyMatch(key -> Shares.permits(jedis, key) > 0) && System.nanoTime() - deadline < 0) {
                LockSupport.parkNanos(PAUSE_NANOS);
                left = keysIn(jedis);
            }
            for (int from = 0; from < left.size(); from += SCANNED_AT_ONCE) {
                jedis.unlink(left.subList(from, Math.min(left.size(), from + SCANNED_AT_ONCE)).toArray(String[]::new));
            }
        }
    }

    private List<String> keysIn(Jedis jedis) {
        String start = OwnStore.KEY_PREFIX + ":{" + bulkhead;
        ScanParams pattern = new ScanParams().match(start + (limit.isKey() ? "%:" + limit.name() + "[-}]*" : "}*"))
                .count(SCANNED_AT_ONCE);
        Set<String> keys = new LinkedHashSet<>();
        String cursor = ScanParams.SCAN_POINTER_START;
        do {
            ScanResult<String> found = jedis.scan(cursor, pattern);
            keys.addAll(found.getResult());
            cursor = found.getCursor();
        } while (!cursor.equals(ScanParams.SCAN_POINTER_START));
        return List.copyOf(keys);
    }
}
