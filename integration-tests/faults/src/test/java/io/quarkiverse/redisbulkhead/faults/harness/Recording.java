package io.quarkiverse.redisbulkhead.faults.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import io.quarkiverse.redisbulkhead.faults.harness.WorkerProcess.Held;
import io.quarkiverse.redisbulkhead.testredis.RedisProcess;

/**
 * A short run with a few instances, as a text from which the documentation draws a timeline. Each line is an event, with times
 * in milliseconds since the start; {@code -} stands for never:
 *
 * <pre>
 * limit   permits
 * share   instance time permits
 * call    instance asked entered lost ended outcome
 * state   lane from until word
 * end     time
 * </pre>
 *
 * The times of executions are those of the {@link Observer}.
 */
public final class Recording implements AutoCloseable {

    /** The lane of Redis. */
    public static final String REDIS = "redis";

    private static final String NEVER = "-";
    private static final long SAMPLE_MILLIS = 10;

    private record Call(String instance, long asked, long entered, long ended, String outcome) {
    }

    private record State(String lane, long from, String word) {
    }

    private final Stage stage;
    private final String bulkhead;
    private final Map<String, WorkerProcess> instances = new LinkedHashMap<>();
    private final List<Call> calls = Collections.synchronizedList(new ArrayList<>());
    private final List<String> shares = Collections.synchronizedList(new ArrayList<>());
    private final List<String> states = new ArrayList<>();
    private final Map<String, State> open = new HashMap<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<CompletableFuture<Void>> callers = new ArrayList<>();
    private long begin;
    private final CountDownLatch over = new CountDownLatch(1);

    /** Creates a stage for it, with {@code store=script}. */
    public Recording(String name, String bulkhead) {
        this.stage = new Stage("incident-" + name, Store.SCRIPT);
        this.bulkhead = bulkhead;
    }

    public Stage stage() {
        return stage;
    }

    /**
     * Starts to record the shares of a server, and instances that are called A, B and so on. The first one that calls must be
     * the first one here.
     */
    public void start(Supplier<RedisProcess> server, List<WorkerProcess> workers) {
        workers.forEach(worker -> instances.put(String.valueOf((char) ('A' + instances.size())), worker));
        begin = System.nanoTime();
        threads.execute(() -> readShares(server));
    }

    private long now() {
        return millis(System.nanoTime());
    }

    private long millis(long nanos) {
        return (nanos - begin) / 1_000_000;
    }

    private String nameOf(WorkerProcess worker) {
        return instances.entrySet().stream().filter(entry -> entry.getValue() == worker).findFirst().orElseThrow().getKey();
    }

    private void readShares(Supplier<RedisProcess> server) {
        Map<String, String> names = new HashMap<>();
        Map<String, Long> last = new HashMap<>();
        while (!isOver()) {
            try {
                Map<String, Long> permits = server.get().permitsByInstance(bulkhead);
                for (String record : permits.keySet()) {
                    names.computeIfAbsent(record, unknown -> String.valueOf((char) ('A' + names.size())));
                }
                names.forEach((record, name) -> {
                    long share = permits.getOrDefault(record, 0L);
                    if (!Long.valueOf(share).equals(last.put(name, share))) {
                        shares.add("share " + name + " " + now() + " " + share);
                    }
                });
            } catch (RuntimeException e) {
                // The server is down, or there is no master.
            }
            pause(SAMPLE_MILLIS);
        }
    }

    private boolean isOver() {
        return over.getCount() == 0;
    }

    /** The pace of a sampler or a caller; ends with the recording. */
    private void pause(long millis) {
        try {
            over.await(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Starts callers of an instance, of which each makes calls one after the other, with a pause between two. */
    public void callers(int number, WorkerProcess worker, Duration work, Duration pause, int calls) {
        for (int i = 0; i < number; i++) {
            callers.add(CompletableFuture.runAsync(() -> {
                for (int made = 0; made < calls && !isOver() && worker.isAlive(); made++) {
                    call(worker, work);
                    pause(pause.toMillis());
                }
            }, threads));
        }
    }

    private void call(WorkerProcess worker, Duration work) {
        long asked = now();
        Held call = worker.hold(bulkhead);
        sleepUntil(worker, () -> call.isInside() || call.isDone());
        long entered = call.isInside() ? now() : -1;
        if (entered >= 0) {
            long end = System.nanoTime() + work.toNanos();
            sleepUntil(worker, () -> System.nanoTime() >= end);
            if (worker.isAlive() && !isOver()) {
                call.letLeave();
            }
        }
        sleepUntil(worker, call::isDone);
        calls.add(new Call(nameOf(worker), asked, entered, now(), call.isDone() ? call.outcome() : NEVER));
    }

    private void sleepUntil(WorkerProcess worker, BooleanSupplier condition) {
        while (!condition.getAsBoolean() && worker.isAlive() && !isOver()) {
            pause(1);
        }
    }

    /** Marks the begin of a state of an instance, A or B, or of Redis, which ends with {@link #stateIsOver}. */
    public void state(String lane, String word) {
        open.put(lane, new State(lane, now(), word));
    }

    public void stateIsOver(String lane) {
        State state = open.remove(lane);
        states.add("state " + lane + " " + state.from() + " " + now() + " " + state.word());
    }

    /** Ends it, and writes the text. */
    public void end(Path file) {
        long end = now();
        Evidence evidence = stage.history().evidence();
        over.countDown();
        // Those of a killed instance may fail.
        CompletableFuture.allOf(callers.toArray(CompletableFuture[]::new)).exceptionally(failure -> null).join();
        open.values().forEach(state -> states.add("state " + state.lane() + " " + state.from() + " - " + state.word()));
        List<String> lines = new ArrayList<>();
        lines.add("limit " + stage.history().currentLimit(bulkhead));
        lines.addAll(shares);
        lines.addAll(states);
        lines.addAll(calls(evidence));
        lines.add("end " + end);
        try {
            Files.createDirectories(file.getParent());
            Files.writeString(file, String.join("\n", lines) + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    // An execution belongs to the call that was seen inside right after it began.
    private List<String> calls(Evidence evidence) {
        Map<String, List<Visit>> visits = new HashMap<>();
        instances.forEach((name, worker) -> visits.put(name, new ArrayList<>(evidence.visits().stream()
                .filter(visit -> visit.worker().equals(worker.name()) && visit.bulkhead().equals(bulkhead)).toList())));
        List<String> lines = new ArrayList<>();
        calls.stream().sorted(Comparator.comparingLong(call -> call.entered() < 0 ? call.ended() : call.entered()))
                .forEach(call -> lines.add(line(call, visits.get(call.instance()))));
        return lines;
    }

    private String line(Call call, List<Visit> visits) {
        Visit visit = call.entered() < 0 ? null
                : visits.stream().filter(each -> millis(each.began()) <= call.entered())
                        .min(Comparator.comparingLong(Visit::began)).orElse(null);
        visits.remove(visit);
        String entered = visit == null ? NEVER : Long.toString(millis(visit.began()));
        String lost = visit == null || visit.lost() == Visit.NEVER ? NEVER : Long.toString(millis(visit.lost()));
        String ended = visit == null ? Long.toString(call.ended())
                : visit.ended() == Visit.NEVER ? NEVER : Long.toString(millis(visit.ended()));
        return String.join(" ", "call", call.instance(), Long.toString(call.asked()), entered, lost, ended, call.outcome());
    }

    @Override
    public void close() {
        over.countDown();
        threads.shutdown();
        stage.close();
    }
}
