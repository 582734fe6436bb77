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
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * Where a scenario plays: its servers, its proxies, its applications and the observer. When the scenario is over, the
 * {@link FinalJudgement} judges what happened on it.
 */
public final class Stage implements AutoCloseable {

    /** The lease of all bulkheads, unless a scenario configures {@value #LEASE_PROPERTY}. */
    public static final Duration LEASE = Duration.ofSeconds(3);

    /** The property of the applications that tells the lease, in seconds: {@code 15s}. */
    public static final String LEASE_PROPERTY = "worker.lease";

    // What is late because so many processes share two cores is not late because of the extension.
    private static final Duration SLACK = Duration.ofSeconds(5);
    static final Map<String, Integer> LIMITS = Map.of("open", 3, "fair", 3, "single", 1, "pair", 2, "keyed", 1);
    private static final AtomicInteger FOLDERS = new AtomicInteger();

    private final Path folder;
    private final Store store;
    private final History history = new History();
    private final Observer observer;
    private final Set<String> fair = new HashSet<>(Set.of("fair", "single", "pair"));
    private final List<WorkerProcess> workers = new ArrayList<>();
    private final List<RedisProcess> servers = new ArrayList<>();
    private final List<AutoCloseable> others = new ArrayList<>();
    private final AtomicInteger clocks = new AtomicInteger();
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

    /** Starts a server of its own. */
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

    /** A file of its own, not yet made. */
    Path newFile(String name) {
        return folder.toAbsolutePath().resolve(name);
    }

    /** A clock that is wrong, for the environment of a process. */
    public FakeClock fakeClock(String offset) {
        return new FakeClock(newFile("clock-" + clocks.incrementAndGet()), offset);
    }

    /** Says which servers have the data, where there are more than one. */
    public void topology(Topology those) {
        topology = those;
    }

    /** Puts a network before a server. */
    public Proxy proxy(RedisProcess redis) {
        Proxy proxy = new Proxy(redis.port());
        others.add(proxy);
        return proxy;
    }

    /** As {@link #proxy}; applications connect to it with TLS. Its certificate is self-signed. */
    public Proxy tlsProxy(RedisProcess redis) {
        Proxy proxy = new Proxy(redis.port(), Certificate.serverContext(newFile("certificate.p12")));
        others.add(proxy);
        return proxy;
    }

    /** Starts applications, and waits until they can be told what to do. */
    public List<WorkerProcess> workers(int number, String redisUrl) {
        return workers(number, redisUrl, Map.of());
    }

    /** Starts applications with more configuration. */
    public List<WorkerProcess> workers(int number, String redisUrl, Map<String, String> configuration) {
        return workers(number, redisUrl, configuration, Map.of());
    }

    /** Starts applications that find Redis as the configuration says. */
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

    /** Starts applications, and does not wait until Redis answers them. */
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

    /** Starts one application. */
    public WorkerProcess worker(String redisUrl) {
        return workers(1, redisUrl).get(0);
    }

    /** Says that a bulkhead has another limit from now on. */
    public void limit(String bulkhead, int limit) {
        history.limit(bulkhead, limit);
    }

    /** Says that a bulkhead is not fair in all applications all the time, so that its order is not judged. */
    public void notAlwaysFair(String bulkhead) {
        fair.remove(bulkhead);
    }

    /** Says that the fault lets permits be lost. Otherwise no process may lose one, unless it stood still. */
    public void permitsMayBeLost() {
        lossesAllowed = true;
    }

    /** Does something that breaks something, and counts it. */
    public void fault(Runnable what) {
        faults++;
        what.run();
        faultOverSince = System.nanoTime();
    }

    /** Counts faults that came by themselves. */
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

    /** Ends a fault. From now on the time to recover counts. */
    public void repair(Runnable what) {
        what.run();
        faultIsOver();
    }

    /** Says that a fault has ended. From now on the time to recover counts. */
    public void faultIsOver() {
        faultOverSince = System.nanoTime();
    }

    /**
     * Does something after which Redis may not know any more what it knew before, and counts it.
     *
     * @param server whose clock tells what was before; where it is not there any more, that of this machine
     */
    public void dataLoss(RedisProcess server, Runnable what) {
        fault(() -> {
            long at = System.nanoTime();
            long before = micros(server);
            what.run();
            // What was granted until now may be forgotten; what is granted from now on is not.
            history.forgot(new DataLoss(at, before, micros(server)));
        });
    }

    private static long micros(RedisProcess server) {
        return server.isAlive() ? server.micros() : microsOfThisMachine();
    }

    private static long microsOfThisMachine() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    }

    /** Lets a fault last for so long. */
    public void faultLasts(Duration time) {
        passes(time);
        faultOverSince = System.nanoTime();
    }

    /** Waits for a fixed time, where the time itself is part of the scenario. */
    public void passes(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        await("end of a time").atMost(time.multipliedBy(2).plus(SLACK)).pollInterval(Duration.ofMillis(10))
                .until(() -> System.nanoTime() - end >= 0);
    }

    /** Waits until so many more executions have begun. */
    public void awaitEntries(long more) {
        long goal = history.entries() + more;
        await(more + " more executions").atMost(Duration.ofSeconds(40).plusMillis(more * 10))
                .pollInterval(Duration.ofMillis(10))
                .until(() -> history.entries() >= goal);
    }

    /** Waits until there are so many executions inside a bulkhead at once. */
    public void awaitInside(String bulkhead, int number) {
        awaitThat(number + " inside " + bulkhead, () -> inside(bulkhead) >= number);
    }

    /** The weights of the executions inside a bulkhead. */
    public long inside(String bulkhead) {
        return history.inside(visit -> visit.bulkhead().equals(bulkhead));
    }

    /** The weights of the executions of an application. */
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

    /** Waits until something holds, and notes how long that took since the last fault was over. */
    public void awaitRecovery(String what, Duration atMost, Callable<Boolean> recovered) {
        Duration deadline = atMost.plus(SLACK).minusNanos(System.nanoTime() - faultOverSince);
        await(what).atMost(deadline).pollInterval(Duration.ofMillis(2)).until(recovered);
        Duration took = Duration.ofNanos(System.nanoTime() - faultOverSince);
        if (took.compareTo(longestRecovery) > 0) {
            longestRecovery = took;
        }
    }

    /** Waits for something that comes soon unless something is wrong. */
    public void awaitThat(String what, Callable<Boolean> holds) {
        await(what).atMost(Duration.ofSeconds(40)).pollInterval(Duration.ofMillis(10)).until(holds);
    }

    Figures judge() {
        Verdict verdict = new FinalJudgement(workers, topology, history, new Checker(lease, fair), lossesAllowed).judge();
        Duration overlap = verdict.longestOverlapOfPaused().compareTo(verdict.longestOverlapOfForgotten()) > 0
                ? verdict.longestOverlapOfPaused()
                : verdict.longestOverlapOfForgotten();
        return new Figures(history.entries(), faults, longestRecovery, overlap);
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

    /** The servers that have the data now. */
    public interface Topology {

        List<RedisProcess> servers();
    }
}
