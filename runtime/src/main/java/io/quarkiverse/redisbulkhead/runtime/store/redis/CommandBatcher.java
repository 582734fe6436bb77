package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;

import io.quarkiverse.redisbulkhead.runtime.store.AcquireRequest;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.quarkiverse.redisbulkhead.runtime.store.Weights;
import io.vertx.core.Future;
import io.vertx.redis.client.Response;

/**
 * Sends the calls of {@code bulkhead.lua}, whose header documents arguments and reply. While a command of a bulkhead is in
 * flight, later calls of that bulkhead gather and share the next command (smart batching). They do not wait for a command that
 *
 * <ul>
 * <li>is followed by enough calls to fill another one, or</li>
 * <li>has only calls whose answers no caller waits for, such as releases: an acquire goes right behind a release.</li>
 * </ul>
 *
 * The calls of a bulkhead are answered in the order in which they came. A command that overtakes an earlier one of its
 * bulkhead, because Redis refused that one for the moment or did not know the script, is sent again behind it.
 * <p>
 * {@link #send} is thread-safe; everything else happens on the context of the {@link RedisConnectionManager}.
 */
final class CommandBatcher {

    /** Limits the size of a command, so that it does not keep Redis busy for long. A single call may be larger. */
    static final int MOST_TOGETHER = 128;

    /** Limits the commands of a bulkhead in flight, so that one bulkhead does not keep others from the connection. */
    static final int MOST_IN_FLIGHT = 8;

    /** How a script is run; {@link LuaScript#run}, unless a test is in between. */
    interface Script {

        Future<Response> run(BulkheadKeys keys, List<byte[]> args, RedisCall.Connection connection);
    }

    /**
     * The reply to a command.
     *
     * @param notices what it has for the process
     * @param answers to the calls, a line each
     */
    record Reply(List<String> notices, List<String> answers) {

        static Reply of(String text) {
            List<String> lines = List.of(text.split("\n"));
            int first = 1 + Integer.parseInt(lines.get(0));
            return new Reply(lines.subList(1, first), lines.subList(first, lines.size()));
        }
    }

    /** Reads the answer to a call from the reply to its command. */
    interface Decoder<T> {

        /**
         * Reads the answer.
         *
         * @param answers of the reply, see {@code bulkhead.lua}
         * @param index where in the reply the answer begins
         * @param repeated whether the call was sent more than once: an earlier copy may have been carried out before this one,
         *        or may still be carried out
         */
        T read(List<String> answers, int index, boolean repeated);
    }

    /**
     * What acquires state that are alike. A command has it only once.
     *
     * @param place for how many milliseconds the process counts as alive; zero: the caller does not wait
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

    /** A call of the script, from the caller's request to its answer. */
    static final class Call<T> {

        private final CompletableFuture<T> answer = new CompletableFuture<>();
        private final int answers;
        private final boolean awaited;
        private final Terms terms;
        private final List<byte[]> words;
        private final Decoder<T> decoder;
        private final int load;
        private final long cameAt = System.nanoTime();
        private boolean sentBefore;

        /**
         * A call.
         *
         * @param answers how many answers the reply has for it
         * @param awaited whether a caller waits for the answer
         * @param terms what an acquire states; null for other calls
         * @param words what is asked; of an acquire, what comes before the number of its terms, and the permit id last
         */
        Call(int answers, boolean awaited, Terms terms, List<byte[]> words, Decoder<T> decoder) {
            this.answers = answers;
            this.awaited = awaited;
            this.terms = terms;
            this.words = words;
            this.decoder = decoder;
            this.load = load(answers, words);
        }

        /** How much of a command it takes. */
        int load() {
            return load;
        }

        // A heavy permit costs Redis as much as many light ones.
        private static int load(int answers, List<byte[]> words) {
            int load = answers;
            for (byte[] word : words) {
                load += word.length > 0 && word[0] == '*' ? Weights.of(new String(word, StandardCharsets.UTF_8)) - 1 : 0;
            }
            return load;
        }

        private boolean isHeavy() {
            return load > answers;
        }

        private void fail(Throwable failure) {
            answer.completeExceptionally(sentBefore && failure instanceof StoreException known ? known.withUnknownOutcome()
                    : failure);
        }
    }

    /** The calls of one bulkhead; forgotten when the last one has ended. */
    private static final class Group {

        private final BulkheadKeys keys;
        private final Deque<Call<?>> waiting = new ArrayDeque<>(4);
        /** Commands that are not answered in order yet, the oldest first. Only the last one may not have been sent yet. */
        private final Deque<Batch> batches = new ArrayDeque<>(2);
        private int waitingLoad;
        private int waitingAwaited;

        private Group(BulkheadKeys keys) {
            this.keys = keys;
        }

        private void count(Call<?> call, int sign) {
            waitingLoad += sign * call.load;
            waitingAwaited += call.awaited ? sign : 0;
        }

        private void addLast(Call<?> call) {
            waiting.addLast(call);
            count(call, 1);
        }

        private Call<?> takeFirst() {
            Call<?> call = waiting.poll();
            count(call, -1);
            return call;
        }

        private List<Call<?>> take() {
            List<Call<?>> taken = new ArrayList<>(Math.min(waiting.size(), MOST_TOGETHER));
            int room = MOST_TOGETHER;
            while (!waiting.isEmpty() && (taken.isEmpty() || waiting.peek().load <= room)) {
                Call<?> call = takeFirst();
                taken.add(call);
                room -= call.load;
            }
            return taken;
        }

        private boolean maySend() {
            if (waiting.isEmpty() || batches.size() >= MOST_IN_FLIGHT) {
                return false;
            }
            boolean noneAwaited = true;
            for (Batch batch : batches) {
                if (!batch.isSent() || batch.overtook || batch.lastRefusal() != null) {
                    return false;
                }
                noneAwaited &= !batch.awaited;
            }
            return batches.isEmpty() || waitingLoad >= MOST_TOGETHER || waitingAwaited > 0 && noneAwaited;
        }

        // Only when no copy is in flight, so that a late reply cannot be out of order again.
        private void takeBackWhatOvertook() {
            for (Batch batch : batches) {
                if (!batch.overtook) {
                    return;
                }
            }
            for (Batch batch = batches.pollLast(); batch != null; batch = batches.pollLast()) {
                for (int i = batch.calls.size() - 1; i >= 0; i--) {
                    Call<?> call = batch.calls.get(i);
                    call.sentBefore |= batch.mayHaveBeenCarriedOut();
                    waiting.addFirst(call);
                    count(call, 1);
                }
            }
        }
    }

    /** One command: a call that goes alone, or calls of one bulkhead, which are chosen when the command is sent. */
    private final class Batch extends RedisCall<List<String>> {

        private final BulkheadKeys keys;
        private final Group group;
        private List<Call<?>> calls;
        private boolean awaited;
        private boolean overtook;

        private Batch(Group group) {
            this.keys = group.keys;
            this.group = group;
            this.elapsedTicks = ticksSince(group.waiting.peek());
        }

        private Batch(BulkheadKeys keys, Call<?> alone) {
            this.keys = keys;
            this.group = null;
            this.calls = List.of(alone);
            this.elapsedTicks = ticksSince(alone);
        }

        private boolean isSent() {
            return calls != null;
        }

        private boolean isInOrder() {
            return group == null || group.batches.peek() == this;
        }

        private void chooseCalls() {
            if (calls == null) {
                calls = group.take();
                awaited = calls.stream().anyMatch(call -> call.awaited);
                submitNext(group);
            }
        }

        @Override
        protected Future<List<String>> over(Connection connection) {
            chooseCalls();
            return script.run(keys, arguments(calls), connection).map(response -> {
                Reply reply = Reply.of(response.toString());
                if (!reply.notices.isEmpty()) {
                    notices.accept(keys.bulkhead(), reply.notices);
                }
                return reply.answers;
            }).recover(this::refused);
        }

        private <U> void answer(Call<U> call, List<String> answers, int index) {
            try {
                call.answer.complete(call.decoder.read(answers, index, isRepeated() || call.sentBefore));
            } catch (RuntimeException e) {
                call.answer.completeExceptionally(unexpectedReply(about(), true, e));
            }
        }

        // An earlier command of the bulkhead was refused as well, and is sent again first.
        private Future<List<String>> refused(Throwable failure) {
            Optional<ErrorReply> error = ErrorReply.of(failure);
            if (isInOrder() || error.isEmpty()) {
                return Future.failedFuture(failure);
            }
            refusedBefore(error.get());
            return Future.failedFuture(new OutOfOrderException());
        }

        @Override
        protected byte[] routingKey() {
            return keys.start();
        }

        @Override
        protected String about() {
            return keys.shown() + "*";
        }

        @Override
        protected boolean mayHaveBegunBefore(ErrorReply refusal) {
            return LuaScript.mayHaveBegunBefore(refusal);
        }

        @Override
        protected boolean mayHaveBeenCarriedOut() {
            return super.mayHaveBeenCarriedOut() || calls != null && calls.stream().anyMatch(call -> call.sentBefore);
        }

        // Of several calls, each is sent again alone.
        @Override
        protected boolean logsRefusal() {
            return calls.size() == 1;
        }
    }

    private final RedisConnectionManager connections;
    private final String keyPrefix;
    private final String process;
    private final Script script;
    private final BiConsumer<BulkheadId, List<String>> notices;
    private final Map<BulkheadId, Group> groups = new HashMap<>();

    /**
     * Sends nothing yet.
     *
     * @param keyPrefix what all keys start with
     * @param process the channel of this process, which is also its name
     * @param notices receives what a reply has for the process and not for a call, if anything
     */
    CommandBatcher(RedisConnectionManager connections, String keyPrefix, String process, Script script,
            BiConsumer<BulkheadId, List<String>> notices) {
        this.connections = connections;
        this.keyPrefix = keyPrefix;
        this.process = process;
        this.script = script;
        this.notices = notices;
    }

    /** Sends a call, with others of its bulkhead and in their order. */
    <T> CompletionStage<T> send(BulkheadId bulkhead, Call<T> call) {
        return begin(call, () -> {
            Group group = groups.computeIfAbsent(bulkhead, id -> new Group(new BulkheadKeys(keyPrefix, id)));
            group.addLast(call);
            submitNext(group);
        });
    }

    /** Sends a call in a command of its own, which may overtake others of the bulkhead. */
    <T> CompletionStage<T> sendAlone(BulkheadId bulkhead, Call<T> call) {
        return begin(call, () -> submit(new Batch(new BulkheadKeys(keyPrefix, bulkhead), call)));
    }

    private <T> CompletionStage<T> begin(Call<T> call, Runnable task) {
        connections.execute(() -> {
            if (connections.isClosed()) {
                // Perhaps not on the context.
                call.answer.completeExceptionally(RedisConnectionManager.stopping(false));
            } else {
                task.run();
            }
        });
        return call.answer;
    }

    private void submitNext(Group group) {
        if (group.maySend()) {
            Batch next = new Batch(group);
            group.batches.add(next);
            submit(next);
        } else if (group.batches.isEmpty() && group.waiting.isEmpty()) {
            groups.remove(group.keys.bulkhead(), group);
        }
    }

    private void submit(Batch batch) {
        batch.answer().whenComplete((answers, failure) -> ended(batch, answers, failure));
        connections.submit(batch);
    }

    private void ended(Batch batch, List<String> answers, Throwable failure) {
        if (failure == null && (answers == null || !batch.isInOrder())) {
            batch.overtook = true;
            goOn(batch.group);
        } else if (failure == null) {
            leave(batch);
            // The next command is sent before callers go on, so that Redis works meanwhile.
            int index = 0;
            for (Call<?> call : batch.calls) {
                batch.answer(call, answers, index);
                index += call.answers;
            }
        } else if (failure instanceof RefusedException refused && batch.calls.size() > 1) {
            // One of them may be the reason. They go before later ones of the bulkhead.
            for (Call<?> call : batch.calls) {
                call.sentBefore |= refused.outcomeUnknown();
                submit(new Batch(batch.keys, call));
            }
            leave(batch);
        } else if (batch.isSent()) {
            leave(batch);
            batch.calls.forEach(call -> call.fail(failure));
        } else {
            // Redis is away. Whatever waits behind a command that could not be sent is in the same position.
            batch.group.batches.remove(batch);
            while (!batch.group.waiting.isEmpty()) {
                batch.group.takeFirst().fail(failure);
            }
            goOn(batch.group);
        }
    }

    private void leave(Batch batch) {
        if (batch.group != null) {
            batch.group.batches.remove(batch);
            goOn(batch.group);
        } else {
            connections.flush();
        }
    }

    private void goOn(Group group) {
        group.takeBackWhatOvertook();
        while (!group.waiting.isEmpty() && ticksSince(group.waiting.peek()) > RedisServer.LONGEST_CALL_TICKS) {
            Call<?> overdue = group.takeFirst();
            overdue.fail(connections.overloaded("Redis", overdue.sentBefore));
        }
        submitNext(group);
        connections.flush();
    }

    // How long a call has been here, in the unit of the servers.
    private long ticksSince(Call<?> call) {
        return (System.nanoTime() - call.cameAt) / 1_000_000 * RedisServer.TICKS_PER_TIMEOUT / connections.timeoutMillis();
    }

    /** How many bulkheads have calls that are not answered. */
    int groups() {
        return groups.size();
    }

    /** The arguments of a command with these calls. */
    List<byte[]> arguments(List<Call<?>> calls) {
        List<Terms> terms = new ArrayList<>(1);
        List<byte[]> all = new ArrayList<>(8 + 2 * calls.size());
        boolean heavy = false;
        for (Call<?> call : calls) {
            heavy |= call.isHeavy();
            // There are few, and most often it is the last one.
            if (call.terms != null && terms.lastIndexOf(call.terms) < 0) {
                terms.add(call.terms);
            }
        }
        all.add(bytes(process));
        all.add(bytes(terms.size()));
        all.add(bytes(heavy ? 1 : 0));
        terms.forEach(stated -> stated.write(all));
        for (Call<?> call : calls) {
            int last = call.words.size() - 1;
            all.addAll(call.terms == null ? call.words : call.words.subList(0, last));
            if (call.terms != null) {
                all.add(bytes(1 + terms.lastIndexOf(call.terms)));
                all.add(call.words.get(last));
            }
        }
        return all;
    }

    static byte[] bytes(long number) {
        return bytes(Long.toString(number));
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
