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
 * Gives a client the answers that it has had already, one after the other, and stops it at the first new one. The progress of
 * a client is thus a list of answers, and any client can be brought to any point again.
 */
final class ReplayedConnection implements ReferenceConnection {

    /** The client waits for an answer that is not there yet. */
    static final class Stopped extends RuntimeException {

        private static final long serialVersionUID = 1L;

        private Stopped() {
            super(null, null, false, false);
        }
    }

    /**
     * What a client waits for.
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

    private final List<?> answers;
    private int next;
    private RoundTripOut missing;

    ReplayedConnection(List<?> answers) {
        this.answers = answers;
    }

    /** The first round trip that has no answer yet; what a client does while it is stopped does not count. */
    RoundTripOut missing() {
        return missing;
    }

    @Override
    public Response send(Command command, Object... args) {
        return answerTo(new RoundTripOut(false, List.of(words(BlockingRedis.request(command, args)))));
    }

    @Override
    public Response transaction(Request... commands) {
        List<List<String>> all = new ArrayList<>();
        for (Request command : commands) {
            all.add(words(command));
        }
        return answerTo(new RoundTripOut(true, all));
    }

    private Response answerTo(RoundTripOut roundTrip) {
        if (missing == null && next < answers.size()) {
            return response(answers.get(next++));
        }
        missing = missing == null ? roundTrip : missing;
        throw new Stopped();
    }

    /** The words of a request, which shows them as Redis reads them: each after its length. */
    private static List<String> words(Request request) {
        List<String> words = new ArrayList<>();
        String[] lines = request.toString().split("\r\n");
        for (int i = 2; i < lines.length; i += 2) {
            words.add(lines[i]);
        }
        words.set(0, words.get(0).toUpperCase(Locale.ROOT));
        return words;
    }

    private static Response response(Object answer) {
        if (answer == null || answer.equals(ReferenceModel.NIL)) {
            return null;
        }
        if (answer instanceof Long number) {
            return NumberType.create(number);
        }
        if (answer instanceof List<?> list) {
            MultiType all = MultiType.create(list.size(), false);
            list.forEach(each -> all.add(response(each)));
            return all;
        }
        return BulkType.create(Buffer.buffer((String) answer), false);
    }
}
