package io.quarkiverse.redisbulkhead.faults.harness;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import javax.net.ssl.SSLContext;

import io.quarkiverse.redisbulkhead.faults.harness.Checker.Verdict;
import io.quarkiverse.redisbulkhead.faults.harness.Evidence.DataLoss;
import io.quarkiverse.redisbulkhead.faults.harness.Evidence.Silence;
import io.quarkiverse.redisbulkhead.faults.harness.ScenarioTable.Figures;
import io.quarkiverse.redisbulkhead.testredis.RedisProcess;

/**
 * The environment of a scenario: its servers, proxies, applications and the observer. At the end, the
 * {@link FinalJudgement} judges its history.
 */
public final class Stage implements AutoCloseable {

    /** The lease of all bulkheads, unless a scenario configures {@value #LEASE_PROPERTY}. */
    public static final Duration LEASE = Duration.ofSeconds(3);

    /** The property that configures the lease of the applications, in seconds: {@code 15s}. */
    public static final String LEASE_PROPERTY = "worker.lease";

    // Slack for many processes that share two cores, which is not the fault of the extension.
    private static final Duration SLACK = Duration.ofSeconds(5);
    static final Map<String, Integer> LIMITS = Map.of("open", 3, "fair", 3, "single", 1, "pair", 2, "keyed", 1);
    private static final AtomicInteger FOLDERS = new AtomicInteger();

    private final Path folder;
    private final Store store;
    private final History history = new History();
    private final Observer observer;
    // Instances keep idle permits of "pair".
    private final Set<String> fair = new HashSet<>(Set.of("fair", "single"));
    private final List<WorkerProcess> workers = new ArrayList<>();
    private final List<RedisProcess> servers = new ArrayList<>();
    private final List<AutoCloseable> others = new ArrayList<>();
    private final AtomicInteger clocks = new AtomicInteger();
    private final List<DataLoss> newRuns = new ArrayList<>();
    private Topology topology;
    private Duration lease = LEASE;
    private boolean lossesAllowed;
    private long faults;
    private long faultOverSince;
    private Duration longestRecovery = Duration.ZERO;

    Stage(String name, Store store) {
        this.folder = Path.of("target", "faults", name + "-" + FOLDERS.incrementAndGet());
        this.store = store;
        try {
            deleteWhatAnEarlierRunLeft();
            this.observer = new Observer(history);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        LIMITS.forEach(history::limit);
    }

    private void deleteWhatAnEarlierRunLeft() throws IOException {
        if (Files.isDirectory(folder)) {
            try (Stream<Path> files = Files.walk(folder)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
    }

    public Store store() {
        return store;
    }

    public History history() {
        return history;
    }

    public RedisProcess redis(String... arguments) {
        RedisProcess redis = newRedis(arguments).start();
        if (topology == null) {
            topology = () -> List.of(redis);
        }
        return redis;
    }

    /** A server, or a sentinel, that is not yet started. */
    public RedisProcess newRedis(String... arguments) {
        RedisProcess redis = new RedisProcess(folder.resolve("redis-" + servers.size()), List.of(arguments));
        servers.add(redis);
        return redis;
    }

    Path newFile(String name) {
        return folder.toAbsolutePath().resolve(name);
    }

    /** A wrong clock, for the environment of a process. */
    public FakeClock fakeClock(String offset) {
        return new FakeClock(newFile("clock-" + clocks.incrementAndGet()), offset);
    }

    /** Names the servers with the data, if there are several. */
    public void topology(Topology those) {
        topology = those;
    }

    public Proxy proxy(RedisProcess redis) {
        return proxy(redis, Optional.empty());
    }

    /** As {@link #proxy}; applications connect to it with TLS. Its certificate is self-signed. */
    public Proxy tlsProxy(RedisProcess redis) {
        return proxy(redis, Optional.of(Certificate.serverContext(newFile("certificate.p12"))));
    }

    private Proxy proxy(RedisProcess redis, Optional<SSLContext> tls) {
        Proxy proxy = new Proxy(redis.port(), tls);
        others.add(proxy);
        return proxy;
    }

    /** Starts applications, and waits until they accept commands. */
    public List<WorkerProcess> workers(int number, String redisUrl) {
        return workers(number, redisUrl, Map.of());
    }

    /** Starts applications with more configuration. */
    public List<WorkerProcess> workers(int number, String redisUrl, Map<String, String> configuration) {
        return workers(number, redisUrl, configuration, Map.of());
    }

    /** Starts applications that take the address of Redis from the configuration. */
    public List<WorkerProcess> workers(int number, Map<String, String> configuration) {
        return workers(number, "none", configuration, Map.of());
    }

    /** Starts applications with additions to their environment. */
    public List<WorkerProcess> workers(int number, String redisUrl, Map<String, String> configuration,
            Map<String, String> environment) {
        List<WorkerProcess> started = workersWithoutRedis(number, redisUrl, configuration, environment);
        started.forEach(WorkerProcess::awaitReady);
        return started;
    }

    /** Starts applications, without waiting for Redis. */
    public List<WorkerProcess> workersWithoutRedis(int number, String redisUrl, Map<String, String> configuration,
            Map<String, String> environment) {
        Map<String, String> all = new HashMap<>(
                Map.of("quarkus.redis.hosts", redisUrl, LEASE_PROPERTY, LEASE.toSeconds() + "s"));
        all.putAll(configuration);
        lease = Duration.parse("PT" + all.get(LEASE_PROPERTY));
        List<WorkerProcess> started = new ArrayList<>();
        try {
            for (int i = 0; i < number; i++) {
                WorkerProcess worker = WorkerProcess.start("worker-" + workers.size(), store, folder, history, observer, all,
                        environment);
                workers.add(worker);
                started.add(worker);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        started.forEach(WorkerProcess::awaitStarted);
        return started;
    }

    public WorkerProcess worker(String redisUrl) {
        return workers(1, redisUrl).get(0);
    }

    public void limit(String bulkhead, int limit) {
        history.limit(bulkhead, limit);
    }

    /** Excludes a bulkhead that is not always fair in all applications from the check of the order. */
    public void notAlwaysFair(String bulkhead) {
        fair.remove(bulkhead);
    }

    /** Permits processes to lose permits. Otherwise only a process that stood still may lose one. */
    public void permitsMayBeLost() {
        lossesAllowed = true;
    }

    /** Injects a fault, and counts it. */
    public void fault(Runnable what) {
        faults++;
        repair(what);
    }

    /** Counts faults that the test did not inject. */
    public void countFaults(long number) {
        faults += number;
    }

    /**
     * Silences Redis for applications with {@code on-outage=allow}, which run calls without permits meanwhile.
     *
     * @param atMost how long calls may do so after the silence; a slack for busy machines is added
     */
    public void silence(Runnable begin, Duration time, Runnable end, Duration atMost) {
        long from = System.nanoTime();
        fault(begin);
        faultLasts(time);
        repair(end);
        history.silent(new Silence(from, faultOverSince + atMost.plus(SLACK).toNanos()));
    }

    /** Ends a fault, and starts the recovery time. */
    public void repair(Runnable what) {
        what.run();
        faultIsOver();
    }

    /** Marks the end of a fault, and starts the recovery time. */
    public void faultIsOver() {
        faultOverSince = System.nanoTime();
    }

    /**
     * Injects a fault after which Redis may have lost data, and counts it.
     *
     * @param server whose clock separates earlier from later permits; this machine's clock if the server is gone
     */
    public void dataLoss(RedisProcess server, Runnable what) {
        fault(() -> history.forgot(loss(server, what)));
    }

    /**
     * Restarts a server, or has another one take over, and counts that as a fault. Nothing may be lost, unless an application
     * states its position too late for the grace period, which a busy machine may cause.
     *
     * @param server as in {@link #dataLoss}
     */
    public void newRun(RedisProcess server, Runnable what) {
        fault(() -> newRuns.add(loss(server, what)));
    }

    private static DataLoss loss(RedisProcess server, Runnable what) {
        long at = System.nanoTime();
        long before = micros(server);
        what.run();
        // Permits granted until now may be lost; later ones are not.
        return new DataLoss(at, before, micros(server));
    }

    private static long micros(RedisProcess server) {
        return server.isAlive() ? server.micros() : ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    }

    public void faultLasts(Duration time) {
        passes(time);
        faultIsOver();
    }

    /** Waits for a fixed time, where the time itself is part of the scenario. */
    public void passes(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        await("end of a time").atMost(time.multipliedBy(2).plus(SLACK)).pollInterval(Duration.ofMillis(10))
                .until(() -> System.nanoTime() - end >= 0);
    }

    /** Waits until this many more executions have started. */
    public void awaitEntries(long more) {
        long goal = history.entries() + more;
        await(more + " more executions").atMost(Duration.ofSeconds(40).plusMillis(more * 10))
                .pollInterval(Duration.ofMillis(10)).until(() -> history.entries() >= goal);
    }

    /** Waits until this many executions are inside a bulkhead at once. */
    public void awaitInside(String bulkhead, int number) {
        awaitThat(number + " inside " + bulkhead, () -> inside(bulkhead) >= number);
    }

    public long inside(String bulkhead) {
        return history.inside(visit -> visit.bulkhead().equals(bulkhead));
    }

    public long inside(WorkerProcess worker) {
        return history.inside(visit -> visit.worker().equals(worker.name()));
    }

    /**
     * Waits until all permits of a bulkhead are in use at once by executions that still have them, and notes how long that took
     * since the last fault was over.
     *
     * @param atMost how long the guarantees allow; a slack for busy machines is added
     */
    public void awaitRecovery(String bulkhead, Duration atMost) {
        awaitRecovery("all permits of " + bulkhead + " in use", atMost,
                () -> inside(bulkhead) >= history.currentLimit(bulkhead));
    }

    /** Waits until a condition holds, and records the time since the end of the last fault. */
    public void awaitRecovery(String what, Duration atMost, Callable<Boolean> recovered) {
        Duration deadline = atMost.plus(SLACK).minusNanos(System.nanoTime() - faultOverSince);
        await(what).atMost(deadline).pollInterval(Duration.ofMillis(2)).until(recovered);
        longestRecovery = ScenarioTable.longer(longestRecovery, Duration.ofNanos(System.nanoTime() - faultOverSince));
    }

    /** Waits for a condition that holds soon unless something is wrong. */
    public void awaitThat(String what, Callable<Boolean> holds) {
        await(what).atMost(Duration.ofSeconds(40)).pollInterval(Duration.ofMillis(10)).until(holds);
    }

    Figures judge() {
        excuseLateInstances();
        Verdict verdict = new FinalJudgement(workers, topology, history, new Checker(lease, fair), lossesAllowed).judge();
        return new Figures(history.entries(), faults, longestRecovery,
                ScenarioTable.longer(verdict.longestOverlapOfPaused(), verdict.longestOverlapOfForgotten()));
    }

    private void excuseLateInstances() {
        List<String> late = newRuns.isEmpty() ? List.of()
                : topology.servers().stream().flatMap(server -> server.lateInstances().stream()).toList();
        if (!late.isEmpty()) {
            System.err.println("Too late for the grace period, so permits may be lost: " + late + " in " + folder);
            newRuns.forEach(history::forgot);
        }
    }

    void printOutput() {
        for (WorkerProcess worker : workers) {
            List<String> lines = worker.output().lines().toList();
            System.err.println("---- the last lines of " + worker.name() + " in " + folder);
            lines.subList(Math.max(0, lines.size() - 40), lines.size()).forEach(System.err::println);
        }
        System.err.println("---- rejections: " + history.rejections());
        history.lastExceptions().forEach(exception -> System.err.println("---- the last one: " + exception));
        history.visitors().forEach(visit -> System.err.println("---- inside: " + visit));
    }

    @Override
    public void close() {
        workers.forEach(WorkerProcess::kill);
        try {
            observer.close();
            for (AutoCloseable other : others) {
                other.close();
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        } finally {
            servers.forEach(RedisProcess::close);
        }
    }

    public interface Topology {

        List<RedisProcess> servers();
    }
}
