package io.quarkiverse.redisbulkhead.runtime.store.reference;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import io.quarkiverse.redisbulkhead.reference.BlockingRedis;
import io.quarkiverse.redisbulkhead.reference.ReferenceConnection;
import io.vertx.core.buffer.Buffer;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import io.vertx.redis.client.impl.types.BulkType;
import io.vertx.redis.client.impl.types.MultiType;
import io.vertx.redis.client.impl.types.NumberType;

/**
 * Replays the replies that a client has received, and stops it at the first new round trip. The progress of a client is thus
 * a list of replies, and can be restored at any point.
 */
final class ReplayedConnection implements ReferenceConnection {

    /** The client waits for a reply that has not arrived. */
    static final class Stopped extends RuntimeException {

        private static final long serialVersionUID = 1L;

        private Stopped() {
            super(null, null, false, false);
        }
    }

    /**
     * The round trip that a client waits for.
     *
     * @param transaction whether the commands are a transaction
     * @param commands the words of each command
     */
    record RoundTripOut(boolean transaction, List<List<String>> commands) {

        @Override
        public String toString() {
            return (transaction ? "MULTI " : "") + commands + (transaction ? " EXEC" : "");
        }
    }

    private final List<?> replies;
    private int next;
    private RoundTripOut missing;

    ReplayedConnection(List<?> replies) {
        this.replies = replies;
    }

    /** The first round trip without a reply; later ones of the stopped client are ignored. */
    RoundTripOut missing() {
        return missing;
    }

    @Override
    public Response send(Command command, Object... args) {
        return replyTo(new RoundTripOut(false, List.of(words(BlockingRedis.request(command, args)))));
    }

    @Override
    public Response transaction(Request... commands) {
        List<List<String>> all = new ArrayList<>();
        for (Request command : commands) {
            all.add(words(command));
        }
        return replyTo(new RoundTripOut(true, all));
    }

    private Response replyTo(RoundTripOut roundTrip) {
        if (missing == null && next < replies.size()) {
            return response(replies.get(next++));
        }
        missing = missing == null ? roundTrip : missing;
        throw new Stopped();
    }

    /** The words of a request, parsed from the Redis protocol. */
    private static List<String> words(Request request) {
        List<String> words = new ArrayList<>();
        String[] lines = request.toString().split("\r\n");
        for (int i = 2; i < lines.length; i += 2) {
            words.add(lines[i]);
        }
        words.set(0, words.get(0).toUpperCase(Locale.ROOT));
        return words;
    }

    private static Response response(Object reply) {
        if (reply == null || reply.equals(ReferenceModel.NIL)) {
            return null;
        }
        if (reply instanceof Long number) {
            return NumberType.create(number);
        }
        if (reply instanceof List<?> list) {
            MultiType all = MultiType.create(list.size(), false);
            list.forEach(each -> all.add(response(each)));
            return all;
        }
        return BulkType.create(Buffer.buffer((String) reply), false);
    }
}
