package io.quarkiverse.redisbulkhead.runtime.store.reference;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiFunction;

import io.quarkiverse.redisbulkhead.reference.Checkpoint;
import io.quarkiverse.redisbulkhead.reference.ReferenceClient;
import io.quarkiverse.redisbulkhead.reference.ReferenceSemaphore;
import io.quarkiverse.redisbulkhead.reference.ReferenceSpec;
import io.quarkiverse.redisbulkhead.runtime.store.exploration.Model;
import io.quarkiverse.redisbulkhead.runtime.store.exploration.Move;
import io.quarkiverse.redisbulkhead.runtime.store.exploration.redis.RedisModel;
import io.quarkiverse.redisbulkhead.runtime.store.reference.ReplayedConnection.RoundTripOut;
import io.quarkiverse.redisbulkhead.runtime.store.reference.ReplayedConnection.Stopped;

/**
 * Clients of a reference semaphore that each send one request to a Redis in memory. Runs the code of the semaphores; each of
 * their round trips is a move.
 */
final class ReferenceModel implements Model<ReferenceModel.State> {

    /** Represents nil, because lists of values allow no null. */
    static final String NIL = "\0nil";

    static final long TICK_MILLIS = 5_000;

    private static final ReferenceSpec SPEC = new ReferenceSpec("market", 1, 4 * TICK_MILLIS);
    private static final long NOON = 1_700_000_000_000L;

    /**
     * The progress of a client.
     *
     * @param replies the replies that it has received
     * @param readings the values that it has read from its clock
     * @param watched the watched keys and their contents
     * @param heldSince the tick of the request for its permit; empty without a permit
     */
    record Progress(List<Object> replies, List<Long> readings, Map<String, String> watched, Optional<Integer> heldSince,
            RoundTripOut next) {
    }

    /**
     * A state.
     *
     * @param redis the contents of Redis
     * @param tick the time
     * @param clients the clients; empty if not started
     */
    record State(Snapshot redis, int tick, List<Optional<Progress>> clients) {

        @Override
        public String toString() {
            List<String> holders = new ArrayList<>();
            for (int i = 0; i < clients.size(); i++) {
                if (clients.get(i).filter(client -> client.heldSince().isPresent()).isPresent()) {
                    holders.add(name(i));
                }
            }
            return "tick " + tick + ", holders " + holders + ", Redis " + redis.text;
        }
    }

    /** An immutable server. */
    record Snapshot(RedisModel redis, String text) {

        static Snapshot of(RedisModel redis) {
            return new Snapshot(redis, redis.toString());
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Snapshot snapshot && text.equals(snapshot.text);
        }

        @Override
        public int hashCode() {
            return text.hashCode();
        }
    }

    private final BiFunction<ReferenceClient, ReferenceSpec, ReferenceSemaphore> kind;
    private final int ticks;
    private final List<Long> skews;

    /**
     * @param kind the semaphore
     * @param ticks the maximum time that passes
     * @param skews the clock skew of each client, in milliseconds
     */
    ReferenceModel(BiFunction<ReferenceClient, ReferenceSpec, ReferenceSemaphore> kind, int ticks, Long... skews) {
        this.kind = kind;
        this.ticks = ticks;
        this.skews = List.of(skews);
    }

    private static String name(int client) {
        return String.valueOf((char) ('A' + client));
    }

    @Override
    public State start() {
        List<Optional<Progress>> clients = new ArrayList<>();
        skews.forEach(skew -> clients.add(Optional.empty()));
        return new State(Snapshot.of(new RedisModel(NOON * 1000)), 0, clients);
    }

    /** More than one client holds the only permit, within the timeout of each request. */
    @Override
    public List<String> broken(State state) {
        long live = state.clients.stream().flatMap(Optional::stream).flatMap(client -> client.heldSince().stream())
                .filter(since -> (state.tick - since) * TICK_MILLIS < SPEC.timeoutMillis()).count();
        return live > SPEC.limit() ? List.of("more permits are held than the limit") : List.of();
    }

    @Override
    public List<Move<State>> moves(State state) {
        List<Move<State>> moves = new ArrayList<>();
        for (int i = 0; i < state.clients.size(); i++) {
            Optional<Progress> client = state.clients.get(i);
            if (client.isEmpty()) {
                State next = advanced(state, i, new Progress(List.of(), List.of(), Map.of(), Optional.empty(), null));
                moves.add(new Move<>(name(i) + " begins, and reads its clock", next, List.of()));
            } else if (client.get().next() != null) {
                moves.add(roundTrip(state, i, client.get()));
            }
        }
        if (state.tick < ticks) {
            RedisModel redis = state.redis.redis.copy();
            redis.setMicros((NOON + (state.tick + 1) * TICK_MILLIS) * 1000);
            moves.add(new Move<>("a tick passes", new State(Snapshot.of(redis), state.tick + 1, state.clients), List.of()));
        }
        return moves;
    }

    private Move<State> roundTrip(State state, int number, Progress client) {
        RedisModel redis = state.redis.redis.copy();
        Map<String, String> watched = new TreeMap<>(client.watched());
        Object reply = reply(redis, client.next(), watched);
        List<Object> replies = new ArrayList<>(client.replies());
        replies.add(reply);
        State changed = new State(Snapshot.of(redis), state.tick, state.clients);
        State next = advanced(changed, number,
                new Progress(replies, client.readings(), watched, Optional.empty(), null));
        return new Move<>(name(number) + ": " + client.next() + " -> " + reply, next, List.of());
    }

    private static Object reply(RedisModel redis, RoundTripOut roundTrip, Map<String, String> watched) {
        if (roundTrip.transaction()) {
            boolean changed = watched.entrySet().stream()
                    .anyMatch(entry -> !entry.getValue().equals(String.valueOf(redis.text(entry.getKey()))));
            watched.clear();
            return changed ? NIL : roundTrip.commands().stream().map(words -> orNil(redis.execute(words))).toList();
        }
        List<String> words = roundTrip.commands().get(0);
        return switch (words.get(0)) {
            case "WATCH" -> {
                watched.put(words.get(1), String.valueOf(redis.text(words.get(1))));
                yield "OK";
            }
            case "UNWATCH" -> {
                watched.clear();
                yield "OK";
            }
            default -> orNil(redis.execute(words));
        };
    }

    private static Object orNil(Object reply) {
        return reply == null ? NIL : reply;
    }

    /** Continues a client until its next round trip or its end. */
    private State advanced(State state, int number, Progress from) {
        List<Long> readings = new ArrayList<>(from.readings());
        int[] reads = new int[1];
        int[] identifiers = new int[1];
        ReplayedConnection connection = new ReplayedConnection(from.replies());
        ReferenceClient client = new ReferenceClient(connection, () -> {
            if (reads[0] == readings.size()) {
                // Time passes between two reads of the clock, so that no client retries forever.
                readings.add(NOON + state.tick * TICK_MILLIS + skews.get(number) + 4 * reads[0]);
            }
            return readings.get(reads[0]++);
        }, Checkpoint.NONE, () -> name(number) + identifiers[0]++);
        Optional<Integer> heldSince = Optional.empty();
        boolean over = false;
        try {
            if (kind.apply(client, SPEC).acquire().isPresent()) {
                heldSince = Optional.of(Math.toIntExact((readings.get(0) - NOON - skews.get(number)) / TICK_MILLIS));
            }
            over = true;
        } catch (Stopped e) {
            // The client waits for a reply.
        }
        List<Optional<Progress>> clients = new ArrayList<>(state.clients);
        clients.set(number,
                over && heldSince.isEmpty() ? Optional.of(new Progress(List.of(), List.of(), Map.of(), heldSince, null))
                        : Optional.of(new Progress(from.replies(), readings, from.watched(), heldSince, connection.missing())));
        return new State(state.redis, state.tick, clients);
    }
}
