package io.quarkiverse.redisbulkhead.benchmarks.redis;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import redis.clients.jedis.Jedis;

/**
 * What Redis has done since its start, by {@code INFO}.
 *
 * @param cpuMicros processor time of the server, in user and system mode
 * @param calls how often each command was carried out, also by scripts
 */
public record RedisReading(double cpuMicros, Map<String, Long> calls) {

    private static final Set<String> SCRIPT_CALLS = Set.of("eval", "evalsha", "fcall");

    // Never called by the scripts of any contender.
    private static final Set<String> OUTSIDE_SCRIPTS = Set.of("ping", "subscribe", "unsubscribe", "hello", "client", "script",
            "multi", "exec", "watch", "unwatch", "auth");

    // The reading itself.
    private static final Set<String> OBSERVER = Set.of("info");

    private static final double MICROS_PER_SECOND = 1_000_000;

    /** Asks the server. */
    public static RedisReading of(Jedis jedis) {
        double cpu = 0;
        for (String line : jedis.info("cpu").split("\r?\n")) {
            if (line.startsWith("used_cpu_user:") || line.startsWith("used_cpu_sys:")) {
                cpu += Double.parseDouble(line.substring(line.indexOf(':') + 1)) * MICROS_PER_SECOND;
            }
        }
        Map<String, Long> calls = new TreeMap<>();
        for (String line : jedis.info("commandstats").split("\r?\n")) {
            if (line.startsWith("cmdstat_")) {
                String command = line.substring("cmdstat_".length(), line.indexOf(':'));
                calls.put(command, Long.parseLong(line.substring(line.indexOf("calls=") + 6, line.indexOf(','))));
            }
        }
        return new RedisReading(cpu, calls);
    }

    /** What has been done since an earlier reading. */
    public RedisReading since(RedisReading earlier) {
        Map<String, Long> difference = new TreeMap<>();
        calls.forEach((command, count) -> {
            long more = count - earlier.calls.getOrDefault(command, 0L);
            if (more > 0 && !OBSERVER.contains(command)) {
                difference.put(command, more);
            }
        });
        return new RedisReading(cpuMicros - earlier.cpuMicros, difference);
    }

    /** All commands, with those within scripts. */
    public long commands() {
        return calls.values().stream().mapToLong(Long::longValue).sum();
    }

    /** The commands that came over the network: where scripts were called, their own commands do not count. */
    public long callsFromNetwork() {
        if (calls.keySet().stream().noneMatch(SCRIPT_CALLS::contains)) {
            return commands();
        }
        return calls.entrySet().stream()
                .filter(entry -> SCRIPT_CALLS.contains(entry.getKey()) || OUTSIDE_SCRIPTS.contains(entry.getKey()))
                .mapToLong(Map.Entry::getValue).sum();
    }
}
