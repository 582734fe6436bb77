package io.quarkiverse.redisbulkhead.faults.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

/** An application in its own process. */
public final class WorkerProcess {

    private static final String NOTHING = "-";
    private static final Duration LONGEST_START = Duration.ofSeconds(90);

    /** What an application reports about itself: its heap after a garbage collection, and its time of day. */
    public record Facts(int threads, long heapBytes, Instant clock) {
    }

    private final String name;
    private final Process process;
    private final Path output;
    private final History history;
    private final CompletableFuture<Consumer<String>> commands = new CompletableFuture<>();
    private final AtomicInteger numbers = new AtomicInteger();
    private final Set<String> running = ConcurrentHashMap.newKeySet();
    private final Set<String> inside = Collections.synchronizedSet(new LinkedHashSet<>());
    private final Map<String, String> done = new ConcurrentHashMap<>();
    private final Map<String, String> tokens = new ConcurrentHashMap<>();
    private final Set<String> stopping = new HashSet<>();
    private final BlockingQueue<Integer> waiting = new LinkedBlockingQueue<>();
    private final BlockingQueue<Facts> facts = new LinkedBlockingQueue<>();
    private final List<String> losses = new CopyOnWriteArrayList<>();
    private final Set<String> bulkheadsOfLosses = ConcurrentHashMap.newKeySet();
    private final List<String> failures = new CopyOnWriteArrayList<>();
    private final BlockingQueue<Boolean> redisReplies = new LinkedBlockingQueue<>();
    private volatile boolean terminated;
    private long pausedSince;

    private WorkerProcess(String name, Process process, Path output, History history) {
        this.name = name;
        this.process = process;
        this.output = output;
        this.history = history;
    }

    /** Starts an application; {@link #awaitStarted} waits until it accepts commands. */
    static WorkerProcess start(String name, Store store, Path folder, History history, Observer observer,
            Map<String, String> configuration, Map<String, String> environment) throws IOException {
        return start(name, WorkerBuild.of(store)::java, folder, history, observer, configuration, environment);
    }

    /** As the other one, by a command for a configuration. */
    static WorkerProcess start(String name, Function<Map<String, String>, List<String>> command, Path folder, History history,
            Observer observer, Map<String, String> configuration, Map<String, String> environment) throws IOException {
        Map<String, String> all = new HashMap<>(configuration);
        all.put("worker.observer", observer.address());
        Path output = Files.createDirectories(folder).resolve(name + ".log");
        ProcessBuilder builder = new ProcessBuilder(command.apply(all)).redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().putAll(environment);
        Process process = builder.start();
        WorkerProcess worker = new WorkerProcess(name, process, output, history);
        observer.expect(process.pid(), worker);
        return worker;
    }

    /** Waits until the application accepts commands. */
    public WorkerProcess awaitStarted() {
        await("start of " + name).atMost(LONGEST_START).until(() -> {
            if (!process.isAlive()) {
                throw new AssertionError(name + " ended with exit code " + process.exitValue() + ":\n" + output());
            }
            return commands.isDone();
        });
        return this;
    }

    /** Waits until Redis replies to the application, like a readiness check. */
    WorkerProcess awaitReady() {
        await("an answer of Redis to " + name).atMost(LONGEST_START).until(() -> {
            command("ask");
            return Boolean.TRUE.equals(redisReplies.poll(30, TimeUnit.SECONDS));
        });
        return this;
    }

    public String name() {
        return name;
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    public String output() {
        try {
            return Files.readString(output);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public List<String> losses() {
        return losses;
    }

    public Set<String> bulkheadsOfLosses() {
        return bulkheadsOfLosses;
    }

    public List<String> failures() {
        return failures;
    }

    /** Starts callers that call in a loop. Their kind is {@code sync} or {@code uni}. */
    public WorkerProcess load(String bulkhead, String kind, int callers, long holdMillis) {
        return load(bulkhead, kind, callers, holdMillis, 0);
    }

    /** As the other one, with this number of keys in turn. */
    public WorkerProcess load(String bulkhead, String kind, int callers, long holdMillis, int keys) {
        String id = nextId();
        running.add(id);
        command("load " + id + " " + bulkhead + " " + kind + " " + callers + " " + holdMillis + " " + keys);
        return this;
    }

    /** Stops all callers after their current call. */
    void stopLoad() {
        for (String id : running) {
            if (stopping.add(id)) {
                command("stop " + id);
            }
        }
    }

    void awaitLoadStopped() {
        await("end of the load of " + name).atMost(Duration.ofSeconds(60)).until(() -> running.isEmpty() || !isAlive());
    }

    /** Makes one call, which stays inside until the test lets it leave. */
    public Held hold(String bulkhead) {
        return hold(bulkhead, NOTHING);
    }

    public List<Held> hold(String bulkhead, int calls) {
        return Stream.generate(() -> hold(bulkhead)).limit(calls).toList();
    }

    public Held hold(String bulkhead, String key) {
        return begin("hold", bulkhead, key);
    }

    /** As {@link #hold(String, String)}, on a thread of the application's worker pool. */
    public Held holdOnWorkerPool(String bulkhead) {
        return begin("occupy", bulkhead, NOTHING);
    }

    /** Makes one call that detaches its permit; returns the token for {@link #attach} after the call has returned. */
    public String detach(String bulkhead) {
        String id = nextId();
        command("detach " + id + " " + bulkhead);
        await("a token of " + name).atMost(Duration.ofSeconds(30)).pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(2))
                .until(() -> tokens.containsKey(id));
        return tokens.get(id);
    }

    /** Attaches a permit, and stays inside with it until the test lets it leave. */
    public Held attach(String bulkhead, String token) {
        return begin("attach", bulkhead, token);
    }

    /** Makes one call that leaves as soon as it is inside. */
    public Held pass(String bulkhead, String key) {
        Held passing = hold(bulkhead, key);
        passing.letLeave();
        return passing;
    }

    public Held pass(String bulkhead) {
        return pass(bulkhead, NOTHING);
    }

    /** Makes many calls at once that return a {@code Uni}. Executions and failure handlers block until the crowd leaves. */
    public Held crowd(String bulkhead, int callers) {
        return begin("crowd", bulkhead, Integer.toString(callers));
    }

    /** Submits a task to the worker pool that calls no guarded method. */
    public Held runUnguarded() {
        String id = nextId();
        command("run " + id);
        return new Held(id, "nothing");
    }

    /** Returns the calls that got a permit, in the order in which they began. */
    public List<Held> inOrderOfEntry(List<Held> calls) {
        synchronized (inside) {
            List<String> order = List.copyOf(inside);
            return calls.stream().filter(call -> order.contains(call.id))
                    .sorted(Comparator.comparingInt(call -> order.indexOf(call.id))).toList();
        }
    }

    public Facts facts() {
        command("facts");
        return answer(facts);
    }

    /**
     * How many calls of all applications wait. Redis knows those that it may serve next, up to 30 groups of each application.
     */
    public int waiting(String bulkhead) {
        command("count " + bulkhead);
        return answer(waiting);
    }

    private <T> T answer(BlockingQueue<T> answers) {
        try {
            T answer = answers.poll(30, TimeUnit.SECONDS);
            if (answer == null) {
                throw new AssertionError(name + " does not answer");
            }
            return answer;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private Held begin(String command, String bulkhead, String detail) {
        String id = nextId();
        command(command + " " + id + " " + bulkhead + " " + detail);
        return new Held(id, bulkhead);
    }

    private String nextId() {
        return name + "-" + numbers.incrementAndGet();
    }

    void command(String line) {
        commands.join().accept(line);
    }

    /** Kills it immediately (SIGKILL). */
    public void kill() {
        long at = System.nanoTime();
        process.destroyForcibly();
        history.died(name, at);
        process.onExit().join();
    }

    public void terminate() {
        terminated = true;
        process.destroy();
    }

    public void awaitEnd(Duration atMost) {
        await("end of " + name).atMost(atMost).until(() -> !process.isAlive());
    }

    /** Stops all its threads until {@link #resume} (SIGSTOP). */
    public void pause() {
        pausedSince = System.nanoTime();
        signal("STOP");
    }

    /** Resumes it after a pause (SIGCONT). */
    public void resume() {
        // Before the signal, so that all later events have later times.
        history.paused(name, pausedSince, System.nanoTime());
        signal("CONT");
    }

    private void signal(String signal) {
        try {
            int exit = new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid())).inheritIO().start().waitFor();
            assertThat(exit).as("exit code of kill -%s %d", signal, process.pid()).isZero();
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    void connected(Consumer<String> toWorker) {
        commands.complete(toWorker);
    }

    void lost(String reason, String bulkhead) {
        losses.add(reason);
        bulkheadsOfLosses.add(bulkhead);
    }

    /** It has detected a standstill: the test paused it, or it got no processor time. */
    void stoodStill(Duration time) {
        long now = System.nanoTime();
        history.paused(name, now - time.toNanos(), now);
    }

    /** Whether it stood still for more than a second, so that it may have lost permits. */
    public boolean hasStoodStill() {
        return history.evidence().pauses().stream().anyMatch(pause -> pause.worker().equals(name));
    }

    void failed(String line) {
        failures.add(line);
    }

    void received(String[] words) {
        switch (words[0]) {
            case "stopped" -> {
                // The last calls of an application that is asked to stop may find it stopped.
                if (!words[2].equals("well") && !terminated) {
                    failures.add(String.join(" ", words));
                }
                running.remove(words[1]);
            }
            case "asked" -> redisReplies.add(words[1].equals("well"));
            case "inside" -> inside.add(words[1]);
            case "detached" -> tokens.put(words[1], words[2]);
            case "done" -> done.put(words[1], words.length > 2 ? words[2] : "");
            case "waiting" -> waiting.add(Integer.valueOf(words[1]));
            case "facts" -> facts.add(new Facts(Integer.parseInt(words[1]), Long.parseLong(words[2]),
                    Instant.ofEpochMilli(Long.parseLong(words[3]))));
            default -> failures.add("what is " + String.join(" ", words));
        }
    }

    /** A call that stays inside its guarded section until the test lets it leave. */
    public final class Held {

        private final String id;
        private final String bulkhead;

        private Held(String id, String bulkhead) {
            this.id = id;
            this.bulkhead = bulkhead;
        }

        /** Lets the call leave, and waits until it has returned. */
        public void leave() {
            letLeave();
            awaitDone();
        }

        public void letLeave() {
            command("let " + id);
        }

        /** Waits until the call has returned or failed. */
        public void awaitDone() {
            // Callers measure how long this takes.
            await("end of a call of " + bulkhead).atMost(Duration.ofSeconds(30)).pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(2)).until(this::isDone);
        }

        /** Whether the call got its permit. */
        public boolean isInside() {
            return inside.contains(id) && !isDone();
        }

        public boolean isDone() {
            return done.containsKey(id);
        }

        /** How a call that is done has ended: {@code returned}, or the kind of its failure. */
        String outcome() {
            return done.get(id);
        }

        @Override
        public String toString() {
            return id;
        }
    }
}
