package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.Engine.HolderIdentity;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.InMemoryShareStore;
import io.quarkiverse.redisbulkhead.runtime.store.ObservedShareStore;
import io.quarkiverse.redisbulkhead.runtime.store.Position;
import io.quarkiverse.redisbulkhead.runtime.store.ShareMessage;
import io.quarkiverse.redisbulkhead.runtime.store.ShareStore;
import io.quarkiverse.redisbulkhead.runtime.store.Statement;

/** A process with an engine, on the clock of the store in memory. It can stand still and die. For one thread. */
final class SimulatedInstance implements SemaphoreListener {

    final String name;
    final Engine engine;
    final WaiterLimits limits;
    /** Also receives the events. */
    SemaphoreListener events = loss -> {
    };
    final Map<String, PermitLost> losses = new HashMap<>();
    final List<String> lostTwice = new ArrayList<>();
    int statements;
    int failedRenewals;
    /** What statements fail with at once; null: they reach the server. */
    RuntimeException refusal;
    /** The same for those with calls. */
    RuntimeException refusalOfNeeds;

    private final InMemoryShareStore server;
    private final Deque<Runnable> missed = new ArrayDeque<>();
    /** Whether statements are built a moment after they became necessary. */
    boolean isBusy;
    private boolean paused;
    private boolean dead;
    private int planned;

    SimulatedInstance(String name, InMemoryShareStore server) {
        this(name, server, new WaiterLimits(1_000));
    }

    SimulatedInstance(String name, InMemoryShareStore server, WaiterLimits limits) {
        this.name = name;
        this.server = server;
        this.limits = limits;
        this.engine = new Engine(name, new Gate(server.connect(name)), null, new Clock(), new HolderIdentity("app", name), this,
                limits, Duration.ofSeconds(1), () -> 1);
    }

    boolean isAlive() {
        return !dead;
    }

    boolean isPaused() {
        return paused;
    }

    /** The process stands still: nothing runs, and nothing arrives. */
    void pause() {
        paused = true;
    }

    void resume() {
        paused = false;
    }

    /** What has arrived meanwhile is looked at. */
    void catchUp() {
        while (!missed.isEmpty() && !paused) {
            missed.poll().run();
        }
    }

    void die() {
        dead = true;
        server.kill(name);
        missed.clear();
    }

    Timers clock() {
        return new Clock();
    }

    /** How many timers are set. */
    int planned() {
        return planned;
    }

    private void run(Runnable task) {
        if (dead) {
            return;
        }
        if (paused) {
            missed.add(task);
        } else {
            task.run();
        }
    }

    @Override
    public void lost(PermitLost loss) {
        if (losses.put(loss.permitId(), loss) != null) {
            lostTwice.add(loss.permitId());
        }
        events.lost(loss);
    }

    @Override
    public CallListener onCall(BulkheadId bulkhead, String method, int weight) {
        return events.onCall(bulkhead, method, weight);
    }

    @Override
    public void nestedCallRejected(String method, RuntimeException rejection) {
        events.nestedCallRejected(method, rejection);
    }

    @Override
    public void limitsDiffer(BulkheadId bulkhead, int own, Set<Integer> others) {
        events.limitsDiffer(bulkhead, own, others);
    }

    @Override
    public void renewalFailed(BulkheadId bulkhead, int permits, Throwable failure) {
        failedRenewals++;
        events.renewalFailed(bulkhead, permits, failure);
    }

    private final class Clock implements Timers {

        @Override
        public long nanoTime() {
            return server.nanoTime();
        }

        @Override
        public Planned after(Duration delay, Runnable task) {
            boolean[] over = new boolean[1];
            planned++;
            Runnable once = () -> {
                if (!over[0]) {
                    over[0] = true;
                    planned--;
                    task.run();
                }
            };
            server.schedule(Math.max(1, delay.toNanos() / 1_000 + 1), () -> run(once));
            return () -> {
                if (!over[0]) {
                    over[0] = true;
                    planned--;
                }
            };
        }
    }

    /** Holds back what arrives while the process stands still. */
    private final class Gate extends ObservedShareStore {

        private Gate(ShareStore store) {
            super(store, (operation, time, failure) -> {
            });
        }

        private <T> CompletionStage<T> held(CompletionStage<T> answer) {
            CompletableFuture<T> result = new CompletableFuture<>();
            answer.whenComplete((value, failure) -> run(() -> {
                if (failure == null) {
                    result.complete(value);
                } else {
                    result.completeExceptionally(failure);
                }
            }));
            return result;
        }

        @Override
        public void whenReady(Runnable task) {
            if (isBusy) {
                server.schedule(1, () -> run(task));
            } else {
                task.run();
            }
        }

        @Override
        public CompletionStage<Position> sync(Statement statement) {
            statements++;
            boolean hasNeeds = !statement.needs().isEmpty() || !statement.immediate().isEmpty();
            RuntimeException failure = refusal == null && hasNeeds ? refusalOfNeeds : refusal;
            return failure != null ? CompletableFuture.failedStage(failure) : held(super.sync(statement));
        }

        @Override
        public void listen(Consumer<ShareMessage> messages) {
            super.listen(message -> run(() -> messages.accept(message)));
        }
    }
}
