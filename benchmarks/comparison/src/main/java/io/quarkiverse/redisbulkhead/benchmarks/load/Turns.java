package io.quarkiverse.redisbulkhead.benchmarks.load;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.quarkiverse.redisbulkhead.benchmarks.redis.RedisServerProcess;

/**
 * Crews that work by turns, in short rounds, so that whatever else the machine does meets all of them. Each round begins with
 * another crew.
 *
 * @param <K> tells the crews apart
 */
public final class Turns<K> implements AutoCloseable {

    private final Map<K, Crew> crews = new LinkedHashMap<>();
    private final List<AutoCloseable> contenders = new ArrayList<>();

    /**
     * Adds a crew, which closes with this.
     *
     * @param key its name
     * @param contender what it uses, which closes with this, too
     * @param crew the callers
     */
    public void add(K key, AutoCloseable contender, Crew crew) {
        contenders.add(contender);
        crews.put(key, crew);
    }

    /**
     * Measures.
     *
     * @return the median of all rounds of each crew
     */
    public Map<K, RoundFigures> measure(RedisServerProcess redis, Rounds rounds) throws InterruptedException {
        for (Crew crew : crews.values()) {
            crew.work(rounds.warmUp());
        }
        Map<K, List<RoundFigures>> all = new LinkedHashMap<>();
        crews.keySet().forEach(key -> all.put(key, new ArrayList<>()));
        try (Meter meter = new Meter(redis.connect())) {
            List<K> order = List.copyOf(crews.keySet());
            for (int round = 0; round < rounds.number(); round++) {
                for (int turn = 0; turn < order.size(); turn++) {
                    K key = order.get((round + turn) % order.size());
                    // Collect the garbage of the previous contender before the next one is measured.
                    System.gc();
                    all.get(key).add(meter.measure(crews.get(key), rounds.length()));
                }
            }
        }
        Map<K, RoundFigures> medians = new LinkedHashMap<>();
        all.forEach((key, each) -> medians.put(key, RoundFigures.median(each)));
        return medians;
    }

    @Override
    public void close() throws Exception {
        crews.values().forEach(Crew::close);
        for (AutoCloseable contender : contenders) {
            contender.close();
        }
    }
}
