package io.quarkiverse.redisbulkhead.runtime.store.script;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;

import io.quarkiverse.redisbulkhead.runtime.store.AcquireRequest;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.Weights;
import io.quarkiverse.redisbulkhead.runtime.store.redis.BulkheadKeys;
import io.quarkiverse.redisbulkhead.runtime.store.redis.ErrorReply;
import io.quarkiverse.redisbulkhead.runtime.store.redis.JointCall;
import io.vertx.core.Future;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Response;

/**
 * One call of {@code bulkhead.lua}, whose header tells the form of arguments and reply. Calls of one bulkhead go together,
 * unless they go alone.
 *
 * @param script the script, and what all its calls share
 * @param bulkhead the bulkhead
 * @param size how many answers the reply has for it; zero for a call that goes alone and has one
 * @param awaited whether a caller waits for the answer
 * @param terms what an acquire states; null for other calls
 * @param words what it asks; of an acquire, what comes before the number of its terms, and the permit id last
 * @param reading reads the answer from the reply, where the answers begin at an index
 * @param <T> the answer
 */
record ScriptCall<T>(Shared script, BulkheadId bulkhead, int size, boolean awaited, Terms terms, List<byte[]> words,
        BiFunction<Response, Integer, T> reading) implements JointCall<T> {

    /**
     * What all calls share.
     *
     * @param script the script
     * @param keyPrefix what all keys start with
     * @param process the channel of this process, which is also its name
     * @param messages receives what the script tells this process in its reply, which may be empty
     */
    record Shared(LuaScript script, String keyPrefix, String process, BiConsumer<BulkheadId, Response> messages) {

        BulkheadKeys keys(BulkheadId bulkhead) {
            return new BulkheadKeys(keyPrefix, bulkhead);
        }
    }

    /**
     * What acquires state that are alike.
     *
     * @param place for how many milliseconds the process counts as alive; zero: it does not wait
     * @param owner as the last lines of a record have it
     */
    record Terms(int limit, long lease, long place, boolean fair, String owner) {

        static Terms of(AcquireRequest request, String owner) {
            return new Terms(request.limit(), request.lease().toMillis(), request.place().toMillis(), request.fair(), owner);
        }

        private void write(List<byte[]> to) {
            to.add(bytes(limit));
            to.add(bytes(lease));
            to.add(bytes(place));
            to.add(bytes(fair ? 1 : 0));
            to.add(bytes(tail()));
        }

        /** A record from the line break before the lease on. */
        String tail() {
            return "\n" + lease + "\n" + limit + "\n" + owner;
        }
    }

    @Override
    public Object group() {
        return size == 0 ? null : bulkhead;
    }

    // A heavy permit costs Redis as much as many light ones.
    @Override
    public int load() {
        int load = size;
        for (byte[] word : words) {
            load += word.length > 0 && word[0] == '*' ? Weights.of(new String(word, StandardCharsets.UTF_8)) - 1 : 0;
        }
        return load;
    }

    // An acquire goes right behind a release or a cancellation.
    @Override
    public boolean isAwaited() {
        return awaited;
    }

    @Override
    public Future<Response> together(RedisConnection connection, List<? extends JointCall<?>> calls) {
        return script.script().run(script.keys(bulkhead), arguments(calls), connection).map(reply -> {
            script.messages().accept(bulkhead, reply.get(0));
            return reply;
        });
    }

    private List<byte[]> arguments(List<? extends JointCall<?>> calls) {
        List<Terms> terms = new ArrayList<>(1);
        List<byte[]> all = new ArrayList<>(8 + 2 * calls.size());
        for (JointCall<?> call : calls) {
            ScriptCall<?> each = (ScriptCall<?>) call;
            // There are few, and most often it is the last one.
            if (each.terms != null && terms.lastIndexOf(each.terms) < 0) {
                terms.add(each.terms);
            }
        }
        all.add(bytes(script.process()));
        all.add(bytes(terms.size()));
        all.add(bytes(calls.stream().anyMatch(call -> call.load() > call.size()) ? 1 : 0));
        terms.forEach(stated -> stated.write(all));
        for (JointCall<?> call : calls) {
            ScriptCall<?> each = (ScriptCall<?>) call;
            int last = each.words.size() - 1;
            all.addAll(each.terms == null ? each.words : each.words.subList(0, last));
            if (each.terms != null) {
                all.add(bytes(1 + terms.lastIndexOf(each.terms)));
                all.add(each.words.get(last));
            }
        }
        return all;
    }

    // Before the answers stand the messages.
    @Override
    public T answer(Response reply, int before) {
        return reading.apply(reply, before + 1);
    }

    @Override
    public boolean mayHaveBegunBefore(ErrorReply refusal) {
        return LuaScript.mayHaveBegunBefore(refusal);
    }

    @Override
    public byte[] routingKey() {
        return script.keys(bulkhead).start();
    }

    @Override
    public String about() {
        return script.keys(bulkhead).shown() + "*";
    }

    static byte[] bytes(long number) {
        return bytes(Long.toString(number));
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
