package io.quarkiverse.redisbulkhead.faults.worker;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;

import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.eclipse.microprofile.context.ManagedExecutor;

import io.quarkiverse.redisbulkhead.BulkheadUnavailableException;
import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.PermitLost;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;

/** Executes the commands of the harness, and reports the results. */
@ApplicationScoped
public class Worker {

    private final GuardedWork work;
    private final RedisBulkheads bulkheads;
    private final ManagedExecutor workerPool;
    private final String observerAddress;
    private final ExecutorService threads = Executors.newCachedThreadPool(daemons("caller"));
    private final ScheduledExecutorService timers = Executors.newScheduledThreadPool(2, daemons("timer"));
    private final Map<String, Callers> load = new ConcurrentHashMap<>();
    private final Map<String, CompletableFuture<Void>> gates = new ConcurrentHashMap<>();
    private ObserverLink observer;

    Worker(GuardedWork work, RedisBulkheads bulkheads, ManagedExecutor workerPool,
            @ConfigProperty(name = "worker.observer") String observerAddress) {
        this.work = work;
        this.bulkheads = bulkheads;
        this.workerPool = workerPool;
        this.observerAddress = observerAddress;
    }

    void start(@Observes StartupEvent event) {
        observer = new ObserverLink(observerAddress, timers);
        observer.send("hello " + ProcessHandle.current().pid());
        observer.listen(this::obey);
        StandstillWatch.start(still -> observer.send("still " + still.toMillis()));
    }

    /** A stopping application gets no more calls. */
    void stop(@Observes ShutdownEvent event) {
        load.values().forEach(Callers::stop);
    }

    void reportLoss(@Observes PermitLost loss) {
        observer.send("lost " + loss.permitId() + " " + loss.reason() + " " + loss.bulkhead());
    }

    private void obey(String command) {
        String[] words = command.split(" ");
        switch (words[0]) {
            case "load" -> startLoad(words[1], words[2], words[3].equals("uni"), Integer.parseInt(words[4]),
                    Long.parseLong(words[5]), Integer.parseInt(words[6]));
            case "stop" -> load.remove(words[1]).stop();
            case "hold" -> threads.execute(() -> hold(words[1], words[2], words[3]));
            case "occupy" -> workerPool.execute(() -> hold(words[1], words[2], words[3]));
            case "detach" -> threads.execute(() -> detach(words[1], words[2]));
            case "attach" -> threads.execute(() -> attach(words[1], words[2], words[3]));
            case "run" -> workerPool.execute(() -> observer.send("done " + words[1]));
            case "crowd" -> threads.execute(() -> crowd(words[1], words[2], Integer.parseInt(words[3])));
            case "let" -> gate(words[1]).complete(null);
            case "ask" -> threads.execute(this::queryRedis);
            case "count" -> threads.execute(() -> countWaiting(words[1]));
            case "facts" -> threads.execute(this::sendFacts);
            default -> throw new IllegalArgumentException("No such command: " + command);
        }
    }

    private void startLoad(String id, String method, boolean asynchronous, int callers, long holdMillis, int keys) {
        Callers all = new Callers(work, observer, timers, threads, method, holdMillis, keys);
        load.put(id, all);
        List<CompletableFuture<Void>> ends = new ArrayList<>();
        for (int i = 0; i < callers; i++) {
            ends.add(all.start(asynchronous));
        }
        CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new)).whenComplete((done, failure) -> observer
                .send("stopped " + id + " " + (failure == null ? "well" : failure.toString().replaceAll("\\s+", " "))));
    }

    private void hold(String id, String method, String key) {
        stayInside(id, method, key, work::call);
    }

    private void stayInside(String id, String method, String key, Consumer<Execution> call) {
        CompletableFuture<Void> gate = gate(id);
        String outcome = "returned";
        try {
            call.accept(new Execution(observer, method, key, permit -> {
                observer.send("inside " + id);
                return gate;
            }));
        } catch (RuntimeException | Error e) {
            outcome = ObserverLink.kind(e);
            observer.rejected(GuardedWork.bulkhead(method), e);
        } finally {
            gates.remove(id);
        }
        observer.send("done " + id + " " + outcome);
    }

    // The token is sent after the guarded method has returned, so that another process attaches the permit afterwards.
    private void detach(String id, String method) {
        CompletableFuture<String> token = new CompletableFuture<>();
        try {
            work.call(new Execution(observer, method, ObserverLink.NOTHING, permit -> permit.detachAsync()
                    .invoke(token::complete).replaceWithVoid().subscribeAsCompletionStage()));
            observer.send("detached " + id + " " + token.join());
        } catch (RuntimeException | Error e) {
            observer.rejected(GuardedWork.bulkhead(method), e);
        }
    }

    private void attach(String id, String method, String token) {
        stayInside(id, method, ObserverLink.NOTHING, execution -> {
            try (Permit permit = bulkheads.semaphore(method).attach(token)) {
                execution.run(permit);
            }
        });
    }

    private void crowd(String id, String method, int callers) {
        CompletableFuture<Void> gate = gate(id);
        AtomicInteger left = new AtomicInteger(callers);
        for (int i = 0; i < callers; i++) {
            work.callAsync(new Execution(observer, method, ObserverLink.NOTHING, permit -> gate)).subscribe().with(
                    done -> leaveCrowd(id, left),
                    failure -> {
                        observer.rejected(GuardedWork.bulkhead(method), failure);
                        // Blocking failure handlers are the point of this crowd.
                        gate.join();
                        leaveCrowd(id, left);
                    });
        }
    }

    private void leaveCrowd(String id, AtomicInteger left) {
        if (left.decrementAndGet() == 0) {
            gates.remove(id);
            observer.send("done " + id);
        }
    }

    // The command to leave may arrive before it is inside.
    private CompletableFuture<Void> gate(String id) {
        return gates.computeIfAbsent(id, unknown -> new CompletableFuture<>());
    }

    private void queryRedis() {
        try {
            bulkheads.semaphore("open").status();
            observer.send("asked well");
        } catch (BulkheadUnavailableException e) {
            observer.send("asked " + e.getMessage());
        }
    }

    private void countWaiting(String method) {
        observer.send("waiting " + bulkheads.semaphore(method).status().waiting());
    }

    private void sendFacts() {
        System.gc();
        long heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
        int live = ManagementFactory.getThreadMXBean().getThreadCount();
        observer.send("facts " + live + " " + heap + " " + System.currentTimeMillis());
    }

    private static ThreadFactory daemons(String name) {
        AtomicInteger numbers = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, name + "-" + numbers.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }
}
