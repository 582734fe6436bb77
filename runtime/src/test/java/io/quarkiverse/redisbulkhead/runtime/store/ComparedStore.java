package io.quarkiverse.redisbulkhead.runtime.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;

import io.quarkiverse.redisbulkhead.runtime.bulkhead.RealTimers;
import io.quarkiverse.redisbulkhead.runtime.store.exploration.redis.Published;
import io.quarkiverse.redisbulkhead.runtime.store.exploration.redis.RedisModel;
import io.quarkiverse.redisbulkhead.runtime.store.exploration.redis.RedisModelServer;
import io.quarkiverse.redisbulkhead.runtime.store.local.BulkheadStateMachine;
import io.quarkiverse.redisbulkhead.runtime.store.local.BulkheadStateMachine.Contents;
import io.quarkiverse.redisbulkhead.runtime.store.lock.LockPermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.redis.BulkheadKeys;
import io.quarkiverse.redisbulkhead.runtime.store.redis.BulkheadKeys.Part;
import io.quarkiverse.redisbulkhead.runtime.store.redis.NotificationSubscriber;
import io.quarkiverse.redisbulkhead.runtime.store.redis.PermitDetails;
import io.quarkiverse.redisbulkhead.runtime.store.redis.RedisConnectionManager;
import io.quarkiverse.redisbulkhead.runtime.store.redis.RedisPermitStore;
import io.vertx.core.Vertx;
import io.vertx.redis.client.RedisOptions;

/** A store with several processes, a clock that the test sets, and one bulkhead whose data is visible. */
interface ComparedStore extends AutoCloseable {

    int PROCESSES = 3;
    BulkheadId BULKHEAD = BulkheadId.of("compared");

    /** The store as seen by a process. */
    PermitStore process(int number);

    /** Sets the clock, in microseconds since the epoch. */
    void setMicros(long micros);

    /** Deletes a Redis key of the bulkhead. */
    void lose(Part part);

    /** Deletes all data. */
    void clear();

    /** Returns and removes the notifications, by process, in order. */
    Map<Integer, List<Notice>> takeNotices();

    /** Returns and removes the limit mismatches, by process, in order. */
    Map<Integer, List<LimitMismatch>> takeLimitMismatches();

    /** The data of the bulkhead, without expired entries. */
    Map<String, Object> remains(long nowMillis);

    @Override
    void close();

    private static String name(int process) {
        return "process" + process;
    }

    // ---- the state machine alone

    static ComparedStore machine() {
        return new Machine();
    }

    final class Machine implements ComparedStore {

        private BulkheadStateMachine bulkhead;
        private long micros;
        private final List<PermitStore> processes = new ArrayList<>();
        private Map<Integer, List<Notice>> notices = new TreeMap<>();
        private Map<Integer, List<LimitMismatch>> differing = new TreeMap<>();

        private Machine() {
            clear();
            for (int i = 0; i < PROCESSES; i++) {
                processes.add(new MachineProcess(i));
            }
        }

        @Override
        public PermitStore process(int number) {
            return processes.get(number);
        }

        @Override
        public void setMicros(long now) {
            micros = now;
        }

        @Override
        public void clear() {
            bulkhead = new BulkheadStateMachine(BULKHEAD,
                    new Contents(Map.of(), Map.of(), Map.of(), Map.of(), Map.of(), Map.of(), Map.of(),
                            OptionalInt.empty(), 0, 0),
                    Integer.MAX_VALUE);
        }

        @Override
        public void lose(Part part) {
            Contents old = bulkhead.contents();
            boolean state = part == Part.STATE;
            bulkhead = new BulkheadStateMachine(BULKHEAD, new Contents(part == Part.HOLDERS ? Map.of() : old.holders(),
                    part == Part.QUEUE ? Map.of() : old.queue(), part == Part.STANDBY ? Map.of() : old.standby(),
                    part == Part.CANCELLED ? Map.of() : old.cancelled(), state ? Map.of() : old.permits(),
                    state ? Map.of() : old.alive(), state ? Map.of() : old.declaredLimits(),
                    state ? OptionalInt.empty() : old.resizedTo(), state ? 0 : old.lastTicket(),
                    part == Part.QUEUE ? 0 : old.gracePeriodEnd()), Integer.MAX_VALUE);
        }

        @Override
        public Map<Integer, List<Notice>> takeNotices() {
            Map<Integer, List<Notice>> taken = notices;
            notices = new TreeMap<>();
            return taken;
        }

        @Override
        public Map<Integer, List<LimitMismatch>> takeLimitMismatches() {
            Map<Integer, List<LimitMismatch>> taken = differing;
            differing = new TreeMap<>();
            return taken;
        }

        @Override
        public Map<String, Object> remains(long nowMillis) {
            Contents contents = bulkhead.contents();
            Map<String, String> records = new HashMap<>();
            contents.permits().forEach((id, permit) -> records.put(id,
                    PermitDetails.of(permit.terms(), permit.ticket(), permit.since(), permit.process()).text()));
            Map<String, Long> queue = new TreeMap<>(contents.queue());
            if (contents.gracePeriodEnd() > nowMillis) {
                queue.put("grace period", contents.gracePeriodEnd());
            }
            return Remains.of(nowMillis, contents.holders(), queue, contents.standby(), contents.cancelled(), records,
                    contents.alive(), contents.resizedTo(), contents.declaredLimits().toString(), contents.lastTicket());
        }

        @Override
        public void close() {
            // Nothing to close.
        }

        private final class MachineProcess implements PermitStore {

            private final int number;

            private MachineProcess(int number) {
                this.number = number;
            }

            private <T> CompletionStage<T> step(Function<BulkheadStateMachine, T> operation) {
                bulkhead.begin(micros);
                T reply = operation.apply(bulkhead);
                bulkhead.takeMessages().forEach(message -> notices
                        .computeIfAbsent(Integer.valueOf(message.process().substring("process".length())),
                                it -> new ArrayList<>())
                        .add(message.notice()));
                List<LimitMismatch> mismatches = bulkhead.takeLimitMismatches();
                if (!mismatches.isEmpty()) {
                    differing.computeIfAbsent(number, it -> new ArrayList<>()).addAll(mismatches);
                }
                return CompletableFuture.completedFuture(reply);
            }

            // Reads on a copy: the stores write nothing then, not even the initial cleanup of a step.
            private <T> CompletionStage<T> read(Function<BulkheadStateMachine, T> query) {
                BulkheadStateMachine copy = new BulkheadStateMachine(BULKHEAD, bulkhead.contents(), Integer.MAX_VALUE);
                copy.begin(micros);
                return CompletableFuture.completedFuture(query.apply(copy));
            }

            @Override
            public CompletionStage<AcquireReply> acquire(AcquireRequest request) {
                return step(it -> it.acquire(name(number), request));
            }

            @Override
            public CompletionStage<Boolean> release(BulkheadId id, String permitId, Duration minHold) {
                return step(it -> it.release(permitId, minHold));
            }

            @Override
            public CompletionStage<Void> cancel(BulkheadId id, List<String> permitIds, Duration forgetAfter) {
                return step(it -> {
                    it.cancel(permitIds, forgetAfter);
                    return null;
                });
            }

            @Override
            public CompletionStage<Set<String>> renew(BulkheadId id, Map<String, Duration> leases) {
                return step(it -> it.renew(leases));
            }

            @Override
            public CompletionStage<PollReply> poll(BulkheadId id, int limit, Collection<String> permitIds, Duration place) {
                return step(it -> it.poll(name(number), limit, permitIds, place));
            }

            @Override
            public CompletionStage<Boolean> detach(BulkheadId id, String permitId, Duration lease, String digest,
                    Duration refuseFor) {
                return step(it -> it.detach(permitId, lease, digest, refuseFor));
            }

            @Override
            public CompletionStage<Optional<Attached>> attach(AttachRequest request) {
                return step(it -> it.attach(name(number), request));
            }

            @Override
            public CompletionStage<Boolean> revoke(BulkheadId id, String permitId) {
                return step(it -> it.revoke(permitId));
            }

            @Override
            public CompletionStage<Void> resize(BulkheadId id, int limit) {
                return step(it -> {
                    it.resize(OptionalInt.of(limit));
                    return null;
                });
            }

            @Override
            public CompletionStage<Boolean> resetSize(BulkheadId id) {
                return step(it -> it.resize(OptionalInt.empty()));
            }

            @Override
            public CompletionStage<Occupancy> occupancy(BulkheadId id, int most) {
                return read(it -> it.occupancy(most));
            }

            @Override
            public CompletionStage<Set<String>> ownPermits(BulkheadId id) {
                return read(it -> it.ownPermits(name(number)));
            }

            @Override
            public CompletionStage<BulkheadsInUse> inUse(int most) {
                throw new UnsupportedOperationException();
            }

            @Override
            public void listen(Consumer<Notice> notices, Consumer<LimitMismatch> mismatches) {
                throw new UnsupportedOperationException();
            }
        }
    }

    // ---- stores on a model of Redis

    static ComparedStore lock() {
        BiConsumer<Duration, Runnable> timer = new RealTimers()::after;
        return new OnRedis(false, (connections, notifications) -> new LockPermitStore(connections, notifications,
                Duration.ofSeconds(20), Duration.ofSeconds(20), timer));
    }

    static ComparedStore script() {
        return new OnRedis(true,
                (connections, notifications) -> new RedisPermitStore(connections, notifications));
    }

    interface Factory {

        PermitStore open(RedisConnectionManager connections, NotificationSubscriber notifications);
    }

    final class OnRedis implements ComparedStore {

        private static final long LONGEST_LIFE = Duration.ofDays(40).toMillis();

        private final RedisModelServer server = new RedisModelServer(new RedisModel(0));
        private final BulkheadKeys keys = new BulkheadKeys("test", BULKHEAD);
        private final Vertx vertx = Vertx.vertx();
        private final List<PermitStore> processes = new ArrayList<>();
        private final List<AutoCloseable> open = new ArrayList<>();
        private final Map<String, Integer> numbers = new HashMap<>();
        private final List<List<Notice>> noticesByProcess = new ArrayList<>();
        private final List<List<LimitMismatch>> differing = new ArrayList<>();

        private OnRedis(boolean pipelined, Factory factory) {
            server.with(model -> {
                model.keepExpired();
                return null;
            });
            RedisOptions options = new RedisOptions().setConnectionString("redis://localhost:" + server.port());
            for (int i = 0; i < PROCESSES; i++) {
                RedisConnectionManager connections = new RedisConnectionManager(vertx, options, "quarkus.redis", "test",
                        Duration.ofSeconds(20), 1, pipelined);
                NotificationSubscriber notifications = new NotificationSubscriber(connections, 20_000);
                PermitStore store = factory.open(connections, notifications);
                List<Notice> notices = new CopyOnWriteArrayList<>();
                List<LimitMismatch> mismatches = new CopyOnWriteArrayList<>();
                store.listen(notice -> {
                    if (!(notice instanceof Notice.NoticesMissed || notice instanceof Notice.Reconnected)) {
                        notices.add(notice);
                    }
                }, mismatches::add);
                noticesByProcess.add(notices);
                differing.add(mismatches);
                numbers.put(notifications.name(), i);
                processes.add(store);
                open.add(notifications);
                open.add(connections);
            }
        }

        @Override
        public PermitStore process(int number) {
            return processes.get(number);
        }

        @Override
        public void setMicros(long micros) {
            server.with(model -> {
                model.setMicros(micros);
                return null;
            });
        }

        @Override
        public void clear() {
            server.with(model -> {
                model.flush();
                return null;
            });
        }

        @Override
        public void lose(Part part) {
            server.with(model -> {
                model.delete(name(part));
                return null;
            });
        }

        private String name(Part part) {
            return new String(keys.of(part));
        }

        @Override
        public Map<Integer, List<Notice>> takeNotices() {
            Map<Integer, List<Notice>> taken = new TreeMap<>();
            // A store may publish after its reply. This reply on the same connection comes behind that.
            processes.forEach(store -> store.occupancy(BulkheadId.of("other"), 0).toCompletableFuture().join());
            for (int i = 0; i < PROCESSES; i++) {
                if (!noticesByProcess.get(i).isEmpty()) {
                    taken.put(i, new ArrayList<>(noticesByProcess.get(i)));
                    noticesByProcess.get(i).clear();
                }
            }
            for (Published message : server.with(RedisModel::takePublished)) {
                message.text().lines().forEach(line -> taken
                        .computeIfAbsent(numbers.get(message.channel()), it -> new ArrayList<>()).add(notice(line)));
            }
            return taken;
        }

        @Override
        public Map<Integer, List<LimitMismatch>> takeLimitMismatches() {
            Map<Integer, List<LimitMismatch>> taken = new TreeMap<>();
            for (int i = 0; i < PROCESSES; i++) {
                if (!differing.get(i).isEmpty()) {
                    taken.put(i, new ArrayList<>(differing.get(i)));
                    differing.get(i).clear();
                }
            }
            return taken;
        }

        private static Notice notice(String line) {
            String[] words = line.split(" ");
            return switch (words[0]) {
                case "handed-over" -> new Notice.HandedOver(words[1],
                        new HandOver(Long.parseLong(words[2]), Long.parseLong(words[3])));
                case "free" -> new Notice.PermitFree(words[1]);
                case "revoked" -> new Notice.Revoked(words[1]);
                default -> throw new AssertionError("Unknown message: " + line);
            };
        }

        @Override
        public Map<String, Object> remains(long nowMillis) {
            return server.with(model -> {
                Map<String, String> state = new TreeMap<>(model.hash(name(Part.STATE)));
                Map<String, Long> alive = new TreeMap<>();
                state.forEach((field, value) -> {
                    if (field.startsWith("alive ")) {
                        alive.put(ComparedStore.name(numbers.get(field.substring("alive ".length()))), Long.valueOf(value));
                    }
                });
                Map<String, String> records = new HashMap<>();
                state.forEach((field, value) -> records.put(field, numbers.entrySet().stream().reduce(value,
                        (text, name) -> text.replace(name.getKey(), ComparedStore.name(name.getValue())),
                        (one, other) -> one)));
                checkLives(model, nowMillis);
                return Remains.of(nowMillis, scores(model, Part.HOLDERS), scores(model, Part.QUEUE),
                        scores(model, Part.STANDBY),
                        scores(model, Part.CANCELLED), records, alive,
                        state.containsKey("set limit") ? OptionalInt.of(Integer.parseInt(state.get("set limit")))
                                : OptionalInt.empty(),
                        Remains.declared(state.getOrDefault("declared limits", "")),
                        Long.parseLong(state.getOrDefault("last ticket", "0")));
            });
        }

        private Map<String, Long> scores(RedisModel model, Part part) {
            Map<String, Long> scores = new TreeMap<>();
            model.scores(name(part)).forEach((id, score) -> scores.put(id, score.longValue()));
            return scores;
        }

        /** Trap 21: each key has a time to live, and that of the holders covers the last lease. */
        private void checkLives(RedisModel model, long nowMillis) {
            long lastEnd = scores(model, Part.HOLDERS).values().stream().mapToLong(end -> end).max().orElse(0);
            for (String key : model.names()) {
                boolean hasEnd = model.expiresAt(key) < nowMillis + LONGEST_LIFE * 10;
                if (!hasEnd || key.endsWith(":holders") && lastEnd > nowMillis && model.expiresAt(key) < lastEnd) {
                    throw new AssertionError(
                            key + " should live until " + lastEnd + ", but lives until " + model.expiresAt(key));
                }
            }
        }

        @Override
        public void close() {
            for (AutoCloseable each : open) {
                try {
                    each.close();
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            }
            vertx.close();
            server.close();
        }
    }

    /** Normalizes the remaining data, without expired entries. */
    final class Remains {

        private Remains() {
        }

        static Map<String, Object> of(long now, Map<String, Long> holders, Map<String, Long> queue, Map<String, Long> standby,
                Map<String, Long> cancelled, Map<String, String> records, Map<String, Long> alive, OptionalInt resizedTo,
                String declaredLimits, long lastTicket) {
            Map<String, Object> remains = new TreeMap<>();
            remains.put("holders", live(holders, now));
            Map<String, Long> waiting = new TreeMap<>(queue);
            waiting.computeIfPresent("grace period", (entry, end) -> end > now && end <= now + 1_251 ? end : null);
            remains.put("queue", waiting);
            remains.put("standby", new TreeMap<>(standby));
            remains.put("cancelled", live(cancelled, now));
            Map<String, Long> living = live(alive, now);
            // After the clock goes back, the scripts cut this only where they read it.
            living.replaceAll((process, until) -> Math.min(until, now + PermitStore.LONGEST_PLACE.toMillis()));
            remains.put("alive", living);
            remains.put("set limit", resizedTo);
            remains.put("declared limits", declaredLimits);
            remains.put("last ticket", lastTicket);
            Map<String, String> known = new TreeMap<>(records);
            known.keySet().removeIf(id -> holders.getOrDefault(id, 0L) <= now && !waiting.containsKey(id)
                    && !standby.containsKey(id));
            remains.put("records", known);
            return remains;
        }

        /** In the order of {@link Contents#declaredLimits}. */
        static String declared(String text) {
            List<String> pairs = new ArrayList<>(List.of(text.trim().split(" ")));
            java.util.Collections.reverse(pairs);
            return pairs.stream().filter(pair -> !pair.isEmpty()).map(pair -> pair.replace(':', '='))
                    .collect(java.util.stream.Collectors.joining(", ", "{", "}"));
        }

        private static Map<String, Long> live(Map<String, Long> ends, long now) {
            Map<String, Long> live = new TreeMap<>(ends);
            live.values().removeIf(end -> end <= now);
            return live;
        }
    }
}
