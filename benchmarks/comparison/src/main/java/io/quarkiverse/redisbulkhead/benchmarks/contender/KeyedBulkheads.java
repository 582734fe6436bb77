package io.quarkiverse.redisbulkhead.benchmarks.contender;

import java.util.OptionalInt;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;

import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.runtime.semaphore.Semaphore;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.params.ScanParams;
import redis.clients.jedis.resps.ScanResult;

/** A bulkhead with keys over our store with scripts. Each call is for a key by chance, and a permit of each key is held. */
public final class KeyedBulkheads implements Contender {

    private static final int SCANNED_AT_ONCE = 1_000;

    private final Surroundings surroundings;
    private final OwnApplication application;
    private final Semaphore bulkhead;
    private final int keys;

    /**
     * Sets it up.
     *
     * @param surroundings what it runs in
     * @param limit what is asked of each key
     * @param keys how many there are
     */
    public KeyedBulkheads(Surroundings surroundings, Limit limit, int keys) throws InterruptedException {
        this.surroundings = surroundings;
        this.application = new OwnApplication(OwnStore.script(surroundings), surroundings.vertx());
        this.bulkhead = application.semaphore(SemaphoreSpec.named(limit.name()).permits(limit.permits()).expire(Limit.LEASE)
                .maxWait(limit.maxWait()).build());
        this.keys = keys;
        application.hold(() -> IntStream.range(0, keys).mapToObj(this::ofKey).iterator());
    }

    private Semaphore ofKey(int key) {
        return bulkhead.forKey("tenant-" + key, OptionalInt.empty());
    }

    @Override
    public BlockingCaller newBlockingCaller() {
        return application.newBlockingCaller(bulkhead.spec().name(),
                () -> ofKey(ThreadLocalRandom.current().nextInt(keys)));
    }

    @Override
    public void close() {
        application.close();
        ScanParams pattern = new ScanParams().match(OwnStore.KEY_PREFIX + ":{" + bulkhead.spec().name() + "*")
                .count(SCANNED_AT_ONCE);
        try (Jedis jedis = surroundings.redis().connect()) {
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
