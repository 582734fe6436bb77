package io.quarkiverse.redisbulkhead.benchmarks;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

import org.redisson.Redisson;

import com.sun.management.OperatingSystemMXBean;

import io.quarkiverse.redisbulkhead.benchmarks.contender.BenchmarkEnvironment;
import io.vertx.redis.client.Redis;
import redis.clients.jedis.Jedis;

/** Records the machine, versions and date of a run. */
final class MachinePart implements Part {

    static final String ID = "machine";

    private static final Path CPU_INFO = Path.of("/proc/cpuinfo");
    private static final double BYTES_PER_GIBIBYTE = 1 << 30;

    @Override
    public String id() {
        return ID;
    }

    @Override
    public void run(BenchmarkEnvironment environment, Figures figures) throws IOException {
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        put(figures, "date", LocalDate.now(ZoneOffset.UTC).toString());
        put(figures, "processor", String.format(Locale.ROOT, "%s, %d cores", processor(), system.getAvailableProcessors()));
        put(figures, "memory",
                String.format(Locale.ROOT, "%.0f GiB", system.getTotalMemorySize() / BYTES_PER_GIBIBYTE));
        put(figures, "system", system.getName() + " " + system.getVersion());
        put(figures, "java", System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version") + ", heap of "
                + Runtime.getRuntime().maxMemory() / (1 << 20) + " MiB");
        put(figures, "load", String.format(Locale.ROOT, "%.1f", system.getSystemLoadAverage()));
        put(figures, "redis", redis(environment));
        put(figures, "redisson", version(Redisson.class));
        put(figures, "vertx", version(Redis.class));
    }

    private static void put(Figures figures, String name, String value) {
        figures.put(ID + "." + name, value);
    }

    private static String processor() throws IOException {
        if (!Files.isReadable(CPU_INFO)) {
            return System.getProperty("os.arch");
        }
        try (Stream<String> lines = Files.lines(CPU_INFO)) {
            return lines.filter(line -> line.startsWith("model name")).findFirst()
                    .map(line -> line.substring(line.indexOf(':') + 1).trim()).orElse(System.getProperty("os.arch"));
        }
    }

    private static String redis(BenchmarkEnvironment environment) {
        try (Jedis jedis = environment.redis().connect()) {
            String info = jedis.info("server");
            return value(info, "valkey_version:").map(version -> "Valkey " + version)
                    .or(() -> value(info, "redis_version:").map(version -> "Redis " + version)).orElse("-");
        }
    }

    private static Optional<String> value(String info, String name) {
        return info.lines().filter(line -> line.startsWith(name)).map(line -> line.substring(name.length()).trim()).findFirst();
    }

    private static String version(Class<?> type) {
        return type.getPackage().getImplementationVersion();
    }
}
