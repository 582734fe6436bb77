package io.quarkiverse.redisbulkhead.runtime.store;

import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;

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
    /** Whether scripts may read the run id. */
    public boolean tellsRunId = true;

    /** The data of one bulkhead. */
    private static final class Data {

        private Map<String, String> fields = new TreeMap<>();
        private Map<String, Long> queue = new TreeMap<>();
        private long fieldsExpire = Long.MAX_VALUE;
        private long queueExpires = Long.MAX_VALUE;

        private Data copy() {
            Data copy = new Data();
            copy.fields.putAll(fields);
            copy.queue.putAll(queue);
            copy.fieldsExpire = fieldsExpire;
            copy.queueExpires = queueExpires;
            return copy;
        }

        private void expire(long now) {
            if (now >= fieldsExpire) {
                fields.clear();
                fieldsExpire = Long.MAX_VALUE;
            }
            if (now >= queueExpires) {
                queue.clear();
                queueExpires = Long.MAX_VALUE;
            }
        }
    }

    /** All data at one instant. */
    public static final class Snapshot {

        private final Map<BulkheadId, Data> bulkheads = new HashMap<>();
    }

    private record Event(long at, long order, Runnable action) {
    }

    private final Random random;
    private final Map<BulkheadId, Data> bulkheads = new HashMap<>();
    private final Map<String, Consumer<ShareMessage>> listeners = new HashMap<>();
    private final PriorityQueue<Event> events = new PriorityQueue<>(
            Comparator.comparingLong(Event::at).thenComparingLong(Event::order));
    private long order;
    private long elapsedMicros;
    private long wallOffset = START_MICROS;
    private String runId = "run1";
    private boolean delivering;
    private boolean isDown;

    /** A server without data. */
    public InMemoryShareStore(long seed) {
        random = new Random(seed);
    }

    /** The store as one instance has it. */
    public ShareStore connect(String instance) {
        return new Connection(instance);
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
        bulkheads.clear();
    }

    /** Evicts one key of a bulkhead. */
    public void evict(BulkheadId bulkhead, boolean onlyQueue) {
        Data data = data(bulkhead);
        if (onlyQueue) {
            data.queue.clear();
        } else {
            data.fields.clear();
        }
    }

    /** All data as it is now. */
    public Snapshot snapshot() {
        Snapshot snapshot = new Snapshot();
        bulkheads.forEach((id, data) -> snapshot.bulkheads.put(id, data.copy()));
        return snapshot;
    }

    /** Goes back to older data, as a failover does together with {@link #changeRunId()}. */
    public void restore(Snapshot snapshot) {
        bulkheads.clear();
        snapshot.bulkheads.forEach((id, data) -> bulkheads.put(id, data.copy()));
    }

    /** Sets the clock of the server back, or ahead if negative. */
    public void setClockBack(long micros) {
        wallOffset -= micros;
    }

    /** From now on this is another run of the server. */
    public void changeRunId() {
        runId = "run" + (Integer.parseInt(runId.substring(3)) + 1);
    }

    /** The run id of the server. */
    public String runId() {
        return runId;
    }

    /** While it is down all statements are lost. */
    public void setDown(boolean down) {
        isDown = down;
    }

    /** The fields of the hash of a bulkhead. */
    public Map<String, String> fields(BulkheadId bulkhead) {
        return Map.copyOf(data(bulkhead).fields);
    }

    /** The queue of a bulkhead. */
    public Map<String, Long> queue(BulkheadId bulkhead) {
        return Map.copyOf(data(bulkhead).queue);
    }

    /** When the hash of a bulkhead expires, by {@link #wallMicros()} in milliseconds. */
    public long expiresAt(BulkheadId bulkhead) {
        return data(bulkhead).fieldsExpire;
    }

    private Data data(BulkheadId bulkhead) {
        Data data = bulkheads.computeIfAbsent(bulkhead, id -> new Data());
        data.expire(wallMicros() / 1_000);
        return data;
    }

    private <T> T step(BulkheadId bulkhead, Function<ShareMachine, T> operation) {
        Data data = data(bulkhead);
        ShareMachine machine = new ShareMachine(bulkhead, data.fields, data.queue, wallMicros(), tellsRunId ? runId : "");
        T result = operation.apply(machine);
        long now = Math.floorDiv(wallMicros(), 1_000);
        if (machine.expireMillis() > 0) {
            data.fieldsExpire = now + machine.expireMillis();
        }
        if (machine.expireQueueMillis() > 0) {
            data.queueExpires = now + machine.expireQueueMillis();
        }
        for (ShareMachine.Sent sent : machine.messages()) {
            int copies = hits(lostMessages) ? 0 : hits(repeatedMessages) ? 2 : 1;
            for (int i = 0; i < copies; i++) {
                schedule(delay(i), () -> listeners.getOrDefault(sent.instance(), message -> {
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

    private <T> CompletionStage<T> send(BulkheadId bulkhead, boolean mayRepeat, Function<ShareMachine, T> operation) {
        CompletableFuture<T> result = new CompletableFuture<>();
        boolean lost = isDown || hits(lostStatements);
        boolean answered = !hits(lostAnswers);
        int copies = lost ? 0 : mayRepeat && hits(repeatedStatements) ? 2 : 1;
        for (int i = 0; i < copies; i++) {
            schedule(delay(i), () -> {
                if (isDown) {
                    return;
                }
                T answer;
                try {
                    answer = step(bulkhead, operation);
                } catch (StoreException refused) {
                    schedule(delay(0), () -> result.completeExceptionally(refused));
                    return;
                }
                if (answered) {
                    schedule(delay(0), () -> result.complete(answer));
                }
            });
        }
        schedule(timeoutMicros, () -> {
            if (!result.isDone()) {
                result.completeExceptionally(
                        new TransientStoreException("The server did not answer within the timeout", true, null));
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

        private Connection(String instance) {
            this.instance = instance;
        }

        @Override
        public void whenReady(Runnable task) {
            task.run();
        }

        @Override
        public CompletionStage<Position> sync(Statement statement) {
            return send(statement.bulkhead(), true, machine -> machine.sync(instance, statement));
        }

        @Override
        public CompletionStage<Integer> revoke(BulkheadId bulkhead, String from, String permitId, int permits) {
            return send(bulkhead, false, machine -> machine.revoke(from, permitId, permits));
        }

        @Override
        public CompletionStage<Boolean> resize(BulkheadId bulkhead, int limit) {
            return send(bulkhead, false, machine -> machine.resize(limit));
        }

        @Override
        public CompletionStage<ShareOverview> look(BulkheadId bulkhead, int most) {
            return send(bulkhead, false, machine -> machine.look(most));
        }

        @Override
        public void listen(Consumer<ShareMessage> messages) {
            listeners.put(instance, messages);
        }
    }

}
