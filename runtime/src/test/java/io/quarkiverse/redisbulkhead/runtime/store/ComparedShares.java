package io.quarkiverse.redisbulkhead.runtime.store;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

import io.quarkiverse.redisbulkhead.runtime.store.exploration.redis.LuaEngine;
import io.quarkiverse.redisbulkhead.runtime.store.exploration.redis.RedisModel;
import io.quarkiverse.redisbulkhead.runtime.store.exploration.redis.RedisModel.Published;
import io.quarkiverse.redisbulkhead.runtime.store.machine.ShareMachine;
import io.quarkiverse.redisbulkhead.runtime.store.redis.ShareCodec;

/** Shares of one bulkhead that a test can compare with those of another implementation, and change from outside. */
public interface ComparedShares {

    BulkheadId BULKHEAD = BulkheadId.of("b");
    String HASH = "k:{b}:shares";
    String QUEUE = "k:{b}:waiting";

    /** What is stored, as text, with the instants at which the keys expire. */
    record Stored(Map<String, String> fields, Map<String, Long> queue, long fieldsExpire, long queueExpires) {

        public static final Stored NOTHING = new Stored(Map.of(), Map.of(), 0, 0);

        /** After the eviction of the key with shares. */
        public Stored withoutFields() {
            return new Stored(Map.of(), queue, 0, queueExpires);
        }

        /** After the eviction of the key with waiters. */
        public Stored withoutQueue() {
            return new Stored(fields, Map.of(), fieldsExpire, 0);
        }
    }

    /** What an operation answers that the implementation refuses. */
    Object REFUSED = "refused";

    /** Sets the clock and the run id of the server; removes what has expired. */
    void at(long micros, String runId);

    Object sync(String instance, Statement statement);

    Object revoke(String field, int permits);

    Object resize(int limit);

    BulkheadId bulkhead();

    long micros();

    default ShareOverview look(int most) {
        return new ShareMachine(bulkhead(), stored().fields(), new TreeMap<>(), micros(), "").look(most);
    }

    /** The messages since the last time, with the instances they are for. */
    List<ShareMachine.Sent> takeMessages();

    Stored stored();

    /** Replaces everything. */
    void restore(Stored stored);

    /** The messages that were published. */
    static List<ShareMachine.Sent> sent(BulkheadId bulkhead, List<Published> published) {
        return published.stream().map(message -> new ShareMachine.Sent(message.channel(), ShareCodec
                .message(message.text(), key -> Optional.of(bulkhead).filter(any -> key.equals(HASH))).orElseThrow())).toList();
    }

    /** What a model of Redis has. */
    static Stored stored(RedisModel redis) {
        Map<String, Long> queue = new TreeMap<>();
        redis.scores(QUEUE).forEach((instance, ticket) -> queue.put(instance, ticket.longValue()));
        return new Stored(new TreeMap<>(redis.hash(HASH)), queue, redis.hash(HASH).isEmpty() ? 0 : redis.expiresAt(HASH),
                queue.isEmpty() ? 0 : redis.expiresAt(QUEUE));
    }

    /** Replaces what a model of Redis has. */
    static void restore(RedisModel redis, Stored stored) {
        redis.flush();
        stored.fields().forEach((field, value) -> redis.execute(List.of("HSET", HASH, field, value)));
        stored.queue().forEach((instance, ticket) -> redis.execute(List.of("ZADD", QUEUE, ticket.toString(), instance)));
        if (!stored.fields().isEmpty()) {
            redis.expireAt(HASH, stored.fieldsExpire());
        }
        if (!stored.queue().isEmpty()) {
            redis.expireAt(QUEUE, stored.queueExpires());
        }
    }

    /** The state machine. */
    final class Machine implements ComparedShares {

        private final BulkheadId bulkhead;
        private Map<String, String> fields = new TreeMap<>();
        private Map<String, Long> queue = new TreeMap<>();
        private long fieldsExpire;
        private long queueExpires;
        private long micros;
        private String runId;
        private List<ShareMachine.Sent> messages = new ArrayList<>();

        public Machine() {
            this(BULKHEAD);
        }

        public Machine(BulkheadId bulkhead) {
            this.bulkhead = bulkhead;
        }

        private Object step(Function<ShareMachine, Object> operation) {
            ShareMachine machine = new ShareMachine(bulkhead, fields, queue, micros, runId);
            Object result;
            try {
                result = operation.apply(machine);
            } catch (StoreException refused) {
                return REFUSED;
            }
            long now = Math.floorDiv(micros, 1_000);
            fieldsExpire = machine.expireMillis() > 0 ? now + machine.expireMillis() : fieldsExpire;
            queueExpires = machine.expireQueueMillis() > 0 ? now + machine.expireQueueMillis() : queueExpires;
            messages.addAll(machine.messages());
            return result;
        }

        @Override
        public void at(long time, String run) {
            micros = time;
            runId = run;
            if (fieldsExpire <= Math.floorDiv(micros, 1_000)) {
                fields.clear();
            }
            if (queueExpires <= Math.floorDiv(micros, 1_000)) {
                queue.clear();
            }
        }

        @Override
        public Object sync(String instance, Statement statement) {
            return step(machine -> machine.sync(instance, statement));
        }

        @Override
        public Object revoke(String field, int permits) {
            return step(machine -> machine.revoke(field, permits));
        }

        @Override
        public Object resize(int limit) {
            return step(machine -> machine.resize(limit));
        }

        @Override
        public BulkheadId bulkhead() {
            return bulkhead;
        }

        @Override
        public long micros() {
            return micros;
        }

        @Override
        public List<ShareMachine.Sent> takeMessages() {
            List<ShareMachine.Sent> taken = messages;
            messages = new ArrayList<>();
            return taken;
        }

        @Override
        public Stored stored() {
            return new Stored(new TreeMap<>(fields), new TreeMap<>(queue), fields.isEmpty() ? 0 : fieldsExpire,
                    queue.isEmpty() ? 0 : queueExpires);
        }

        @Override
        public void restore(Stored stored) {
            fields = new TreeMap<>(stored.fields());
            queue = new TreeMap<>(stored.queue());
            fieldsExpire = stored.fieldsExpire();
            queueExpires = stored.queueExpires();
        }
    }

    /** The script, wherever it runs. */
    abstract class Script implements ComparedShares {

        private final BulkheadId bulkhead;
        /** The clock of the server. */
        protected long micros;

        protected Script(BulkheadId bulkhead) {
            this.bulkhead = bulkhead;
        }

        @Override
        public long micros() {
            return micros;
        }

        /** Runs the script; an error reply throws. */
        protected abstract Object run(List<String> args);

        protected abstract List<Published> published();

        @Override
        public Object sync(String instance, Statement statement) {
            try {
                return ShareCodec.position((List<?>) run(ShareCodec.sync(instance, statement)));
            } catch (StoreException refused) {
                return REFUSED;
            }
        }

        @Override
        public Object revoke(String field, int permits) {
            return Math.toIntExact((Long) run(ShareCodec.revoke(field, permits)));
        }

        @Override
        public Object resize(int limit) {
            return (Long) run(ShareCodec.resize(limit)) == 1;
        }

        @Override
        public BulkheadId bulkhead() {
            return bulkhead;
        }

        @Override
        public List<ShareMachine.Sent> takeMessages() {
            return ComparedShares.sent(bulkhead, published());
        }
    }

    /** The script on a model of Redis, with a defect or without. */
    final class Modelled extends Script {

        private final LuaEngine engine = new LuaEngine();
        private final RedisModel redis = new RedisModel(0);
        private final String text;

        public Modelled(String text) {
            this(text, BULKHEAD);
        }

        public Modelled(String text, BulkheadId bulkhead) {
            super(bulkhead);
            this.text = text;
        }

        @Override
        protected Object run(List<String> args) {
            return engine.run(redis, text, List.of(HASH, QUEUE), args);
        }

        @Override
        protected List<Published> published() {
            return redis.takePublished();
        }

        @Override
        public void at(long time, String runId) {
            micros = time;
            redis.setMicros(time);
            redis.setRunId(runId);
        }

        @Override
        public Stored stored() {
            return ComparedShares.stored(redis);
        }

        @Override
        public void restore(Stored stored) {
            ComparedShares.restore(redis, stored);
        }
    }
}
