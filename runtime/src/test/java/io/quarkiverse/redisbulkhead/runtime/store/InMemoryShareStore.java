package io.quarkiverse.redisbulkhead.runtime.store;

import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;

import io.quarkiverse.redisbulkhead.runtime.store.ComparedShares.Stored;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException.Kind;
import io.quarkiverse.redisbulkhead.runtime.store.machine.ShareMachine;

/**
 * A server in memory for many instances, on a manual clock, with faults. Everything is deterministic: the same seed and the
 * same calls give the same history. For one thread.
 * <p>
 * By default statements are carried out, and answers and messages delivered, before the outermost call returns. With a delay,
 * they are on their way until {@link #advance} passes the time. The answer to a statement that was lost, or whose answer was
 * lost, is a failure with unknown outcome after {@link #timeoutMicros}.
 */
public final class InMemoryShareStore {

    private static final long START_MICROS = 1_700_000_000_000_000L;

    /** How often something is lost, or arrives twice, from 0 to 1. */
    public double lostStatements;
    public double lostAnswers;
    public double lostMessages;
    public double repeatedStatements;
    public double repeatedMessages;
    /** How long one way takes. A repeated copy takes up to ten times the longest. */
    public long leastDelayMicros;
    public long mostDelayMicros;
    /** After this a statement without an answer fails. */
    public long timeoutMicros = 1_000_000;

    /** Receives each answer and each message when the server has taken the step, whether it arrives or not. */
    public Consumer<Object> observer = sent -> {
    };

    /** All data at one instant. */
    public static final class Snapshot {

        private final Map<BulkheadId, Stored> bulkheads = new HashMap<>();
    }

    private record Event(long at, long order, Runnable action) {
    }

    private final Random random;
    private final Function<BulkheadId, ComparedShares> implementation;
    private final Map<BulkheadId, ComparedShares> bulkheads = new HashMap<>();
    private final Map<String, Consumer<ShareMessage>> listeners = new HashMap<>();
    private final PriorityQueue<Event> events = new PriorityQueue<>(
            Comparator.comparingLong(Event::at).thenComparingLong(Event::order));
    private long order;
    private long elapsedMicros;
    private long wallOffset = START_MICROS;
    private String runId = "run1";
    private boolean delivering;
    private boolean isDown;
    private long standsStillUntil;

    /** A server without data, which takes the steps of the state machine. */
    public InMemoryShareStore(long seed) {
        this(seed, ComparedShares.Machine::new);
    }

    /** A server without data, which takes the steps of any implementation. */
    public InMemoryShareStore(long seed, Function<BulkheadId, ComparedShares> implementation) {
        random = new Random(seed);
        this.implementation = implementation;
    }

    /** The store as one instance has it. */
    public ShareStore connect(String instance) {
        return new Connection(instance, false);
    }

    /** The same for a test that states by itself which run of the server the instance knows. */
    public ShareStore connectAsStated(String instance) {
        return new Connection(instance, true);
    }

    /** Nothing reaches this instance any more; what it has sent may arrive. */
    public void kill(String instance) {
        listeners.remove(instance);
    }

    /** A clock that never goes back, for instances. */
    public long nanoTime() {
        return elapsedMicros * 1_000;
    }

    /** The clock of the server. */
    public long wallMicros() {
        return wallOffset + elapsedMicros;
    }

    /** Passes time, and delivers what is due on the way. */
    public void advance(long micros) {
        if (delivering) {
            throw new IllegalStateException("Time passes only outside of deliveries");
        }
        long target = elapsedMicros + micros;
        delivering = true;
        try {
            while (!events.isEmpty() && events.peek().at <= target) {
                Event event = events.poll();
                elapsedMicros = Math.max(elapsedMicros, event.at);
                event.action.run();
            }
        } finally {
            delivering = false;
        }
        elapsedMicros = target;
    }

    /** Runs something of a test or an instance later, between deliveries. */
    public void schedule(long afterMicros, Runnable action) {
        events.add(new Event(elapsedMicros + afterMicros, order++, action));
    }

    /** {@code FLUSHALL}. */
    public void loseData() {
        bulkheads.values().forEach(shares -> shares.restore(Stored.NOTHING));
    }

    /** Evicts one key of a bulkhead. */
    public void evict(BulkheadId bulkhead, boolean onlyQueue) {
        Stored now = stored(bulkhead);
        shares(bulkhead).restore(onlyQueue ? now.withoutQueue() : now.withoutFields());
    }

    /** All data as it is now. */
    public Snapshot snapshot() {
        Snapshot snapshot = new Snapshot();
        bulkheads.forEach((id, shares) -> snapshot.bulkheads.put(id, shares.stored()));
        return snapshot;
    }

    /** Goes back to older data, as a failover does together with {@link #changeRunId()}. */
    public void restore(Snapshot snapshot) {
        loseData();
        snapshot.bulkheads.forEach((id, stored) -> shares(id).restore(stored));
    }

    /** Sets the clock of the server back, or ahead if negative. */
    public void setClockBack(long micros) {
        wallOffset -= micros;
    }

    /** From now on this is another run of the server. Connections break, so nothing arrives that was on its way. */
    public void changeRunId() {
        runId = "run" + (Integer.parseInt(runId.substring(3)) + 1);
    }

    /** While it is down all statements are lost. */
    public void setDown(boolean down) {
        isDown = down;
    }

    /** It stands still for a while, and carries out after that what arrives meanwhile. */
    public void standStill(long micros) {
        standsStillUntil = elapsedMicros + micros;
    }

    private void whenRunning(Runnable step) {
        if (elapsedMicros < standsStillUntil) {
            schedule(standsStillUntil - elapsedMicros, step);
        } else {
            step.run();
        }
    }

    /** What is stored of a bulkhead, with instants by {@link #wallMicros()} in milliseconds. */
    public Stored stored(BulkheadId bulkhead) {
        return shares(bulkhead).stored();
    }

    /** The fields of the hash of a bulkhead. */
    public Map<String, String> fields(BulkheadId bulkhead) {
        return stored(bulkhead).fields();
    }

    /** The queue of a bulkhead. */
    public Map<String, Long> queue(BulkheadId bulkhead) {
        return stored(bulkhead).queue();
    }

    private ComparedShares shares(BulkheadId bulkhead) {
        ComparedShares shares = bulkheads.computeIfAbsent(bulkhead, implementation);
        shares.at(wallMicros(), runId);
        return shares;
    }

    private Object step(BulkheadId bulkhead, Function<ComparedShares, Object> operation) {
        ComparedShares shares = shares(bulkhead);
        Object result = operation.apply(shares);
        observer.accept(result);
        for (ShareMachine.Sent sent : shares.takeMessages()) {
            observer.accept(sent.message());
            int copies = hits(lostMessages) ? 0 : hits(repeatedMessages) ? 2 : 1;
            for (int i = 0; i < copies; i++) {
                transmit(i, () -> listeners.getOrDefault(sent.instance(), message -> {
                }).accept(sent.message()));
            }
        }
        return result;
    }

    private boolean hits(double chance) {
        return chance > 0 && random.nextDouble() < chance;
    }

    private long delay(int copy) {
        long most = copy == 0 ? mostDelayMicros : 10 * mostDelayMicros;
        return leastDelayMicros + (most > leastDelayMicros ? (long) (random.nextDouble() * (most - leastDelayMicros)) : 0);
    }

    /** Delivers what is due, unless that is going on. */
    private void deliver() {
        if (!delivering) {
            advance(0);
        }
    }

    /** After the time that one way takes, unless the connection breaks before. */
    private void transmit(int copy, Runnable arrival) {
        String run = runId;
        schedule(delay(copy), () -> {
            if (run.equals(runId)) {
                arrival.run();
            }
        });
    }

    @SuppressWarnings("unchecked")
    private <T> CompletionStage<T> send(BulkheadId bulkhead, boolean mayRepeat, Function<ComparedShares, Object> operation) {
        CompletableFuture<T> result = new CompletableFuture<>();
        boolean lost = isDown || hits(lostStatements);
        boolean answered = !hits(lostAnswers);
        int copies = lost ? 0 : mayRepeat && hits(repeatedStatements) ? 2 : 1;
        for (int i = 0; i < copies; i++) {
            transmit(i, () -> whenRunning(() -> {
                if (isDown) {
                    return;
                }
                Object answer = step(bulkhead, operation);
                if (answer.equals(ComparedShares.REFUSED)) {
                    transmit(0, () -> result.completeExceptionally(new StoreException("refused", null)));
                } else if (answered) {
                    transmit(0, () -> result.complete((T) answer));
                }
            }));
        }
        schedule(timeoutMicros, () -> {
            if (!result.isDone()) {
                result.completeExceptionally(
                        new StoreException(Kind.TRANSIENT, "The server did not answer within the timeout"));
            }
        });
        deliver();
        return result;
    }

    /** Ends all faults and delays. */
    public void calm() {
        lostStatements = 0;
        lostAnswers = 0;
        lostMessages = 0;
        repeatedStatements = 0;
        repeatedMessages = 0;
        leastDelayMicros = 0;
        mostDelayMicros = 0;
        isDown = false;
    }

    private final class Connection implements ShareStore {

        private final String instance;
        private final boolean asStated;
        private String knownRun = runId;
        private long otherRunSince = -1;

        private Connection(String instance, boolean asStated) {
            this.instance = instance;
            this.asStated = asStated;
        }

        @Override
        public void whenReady(Runnable task) {
            task.run();
        }

        /** As a connection to Redis does: a new run is another connection, over which the run id is read. */
        @Override
        public CompletionStage<Position> sync(Statement statement) {
            if (!knownRun.equals(runId)) {
                knownRun = runId;
                otherRunSince = elapsedMicros;
            }
            long since = otherRunSince < 0 ? -1 : (elapsedMicros - otherRunSince) / 1_000;
            Statement sent = asStated ? statement : statement.to(runId, since, true);
            return send(statement.bulkhead(), true, shares -> shares.sync(instance, sent));
        }

        @Override
        public CompletionStage<Integer> revoke(BulkheadId bulkhead, String from, String permitId, int permits) {
            String field = from.isEmpty() ? "h:" + permitId : "i:" + from;
            return send(bulkhead, false, shares -> shares.revoke(field, permits));
        }

        @Override
        public CompletionStage<Boolean> resize(BulkheadId bulkhead, int limit) {
            return send(bulkhead, false, shares -> shares.resize(limit));
        }

        @Override
        public CompletionStage<ShareOverview> look(BulkheadId bulkhead, int most) {
            return send(bulkhead, false, shares -> shares.look(most));
        }

        @Override
        public void listen(Consumer<ShareMessage> messages) {
            listeners.put(instance, messages);
        }
    }

}
