package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;

import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.vertx.core.Future;
import io.vertx.redis.client.Response;

/**
 * Sends the calls of {@code bulkhead.lua}, those of one bulkhead in batches. While no command of a bulkhead is in flight, a
 * call is sent at once, with those that came at the same time. Otherwise calls gather, and go together when the command in
 * flight is answered. They go before that when
 *
 * <ul>
 * <li>they fill a command, or</li>
 * <li>a caller waits for one of them and no caller waits for what is in flight: an acquire goes right behind a release.</li>
 * </ul>
 *
 * A command chooses its calls when its connection has room for it, so it includes calls that arrived meanwhile.
 * <p>
 * The calls of a bulkhead are answered in the order in which they came. Redis may refuse a command for the moment, or not know
 * the script, and a later command may overtake it. The later one is then out of order, and is sent again behind the first.
 * <p>
 * {@link #send} and {@link #sendAlone} are thread-safe; everything else happens on the context of the
 * {@link RedisConnectionManager}.
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
    <T> CompletionStage<T> send(BulkheadId bulkhead, ScriptCall<T> call) {
        return begin(call, () -> {
            Group group = groups.computeIfAbsent(bulkhead, id -> new Group(new BulkheadKeys(keyPrefix, id)));
            group.addLast(call);
            submitNext(group);
        });
    }

    /** Sends a call in a command of its own, which may overtake others of the bulkhead. */
    <T> CompletionStage<T> sendAlone(BulkheadId bulkhead, ScriptCall<T> call) {
        return begin(call, () -> submit(new Batch(new BulkheadKeys(keyPrefix, bulkhead), call)));
    }

    private <T> CompletionStage<T> begin(ScriptCall<T> call, Runnable task) {
        connections.execute(() -> {
            if (connections.isClosed()) {
                // This may run on another thread, so it touches no group.
                call.fail(RedisConnectionManager.stopping(false));
            } else {
                task.run();
            }
        });
        return call.result;
    }

    private void submitNext(Group group) {
        if (group.maySubmit()) {
            Batch next = new Batch(group);
            group.batches.add(next);
            submit(next);
        } else if (group.batches.isEmpty() && group.gathered.isEmpty()) {
            groups.remove(group.keys.bulkhead(), group);
        }
    }

    private void submit(Batch batch) {
        batch.result().whenComplete((answers, failure) -> ended(batch, answers, failure));
        connections.submit(batch);
    }

    private void ended(Batch batch, List<String> answers, Throwable failure) {
        if (failure == null && batch.isFirst()) {
            answered(batch, answers);
        } else if (failure == null || failure instanceof RedisCall.OutOfOrderException) {
            batch.outOfOrder = true;
            advance(batch.group);
        } else if (!batch.hasCalls()) {
            failGathered(batch, failure);
        } else if (failure instanceof RefusedException refused && batch.calls.size() > 1) {
            sendEachAlone(batch, refused);
        } else {
            advanceWithout(batch);
            batch.calls.forEach(call -> call.fail(failure));
        }
    }

    private void answered(Batch batch, List<String> answers) {
        // The next command is sent before callers continue, so that Redis works meanwhile.
        advanceWithout(batch);
        int index = 0;
        for (ScriptCall<?> call : batch.calls) {
            batch.complete(call, answers, index);
            index += call.answerCount;
        }
    }

    // Redis is away, so the command that would have taken the calls was not sent.
    private void failGathered(Batch batch, Throwable failure) {
        batch.group.batches.remove(batch);
        while (!batch.group.gathered.isEmpty()) {
            batch.group.pollFirst().fail(failure);
        }
        advance(batch.group);
    }

    // One of the calls may be the reason. They go before later ones of the bulkhead.
    private void sendEachAlone(Batch batch, RefusedException refused) {
        for (ScriptCall<?> call : batch.calls) {
            call.mayHaveBeenCarriedOut |= refused.outcomeUnknown();
            submit(new Batch(batch.keys, call));
        }
        advanceWithout(batch);
    }

    /** Sends what may follow a command that has ended. */
    private void advanceWithout(Batch batch) {
        if (batch.isAlone()) {
            connections.flush();
        } else {
            batch.group.batches.remove(batch);
            advance(batch.group);
        }
    }

    private void advance(Group group) {
        group.takeBackIfAllAreOutOfOrder();
        while (!group.gathered.isEmpty() && ticksSince(group.gathered.peek()) > RedisServer.LONGEST_CALL_TICKS) {
            ScriptCall<?> overdue = group.pollFirst();
            overdue.fail(connections.overloaded("Redis", overdue.mayHaveBeenCarriedOut));
        }
        submitNext(group);
        connections.flush();
    }

    // How long a call has been here, in the unit of the servers.
    private long ticksSince(ScriptCall<?> call) {
        return (System.nanoTime() - call.createdNanos) / 1_000_000 * RedisServer.TICKS_PER_TIMEOUT
                / connections.timeoutMillis();
    }

    /** How many bulkheads have calls that are not answered. */
    int groups() {
        return groups.size();
    }

    /** The calls of one bulkhead; forgotten when the last one has ended. */
    private static final class Group {

        private final BulkheadKeys keys;
        /** Calls that no command has taken yet. */
        private final Deque<ScriptCall<?>> gathered = new ArrayDeque<>(4);
        private int gatheredSize;
        private int gatheredAwaited;
        /** Commands that are not answered in order yet, the oldest first. Only the last one may be without calls. */
        private final Deque<Batch> batches = new ArrayDeque<>(2);

        private Group(BulkheadKeys keys) {
            this.keys = keys;
        }

        private boolean maySubmit() {
            if (batches.isEmpty()) {
                return !gathered.isEmpty();
            }
            return (fillsACommand() || isAwaitedBehindUnawaited()) && batches.size() < MOST_IN_FLIGHT && !wouldOvertake();
        }

        private boolean fillsACommand() {
            return gatheredSize >= MOST_TOGETHER;
        }

        private boolean isAwaitedBehindUnawaited() {
            if (gatheredAwaited == 0) {
                return false;
            }
            for (Batch batch : batches) {
                if (batch.awaited) {
                    return false;
                }
            }
            return true;
        }

        // A command without calls takes those that gather. One that Redis refused, or that came out of order, is sent again.
        private boolean wouldOvertake() {
            for (Batch batch : batches) {
                if (!batch.hasCalls() || batch.outOfOrder || batch.lastRefusal() != null) {
                    return true;
                }
            }
            return false;
        }

        private void addLast(ScriptCall<?> call) {
            gathered.addLast(call);
            count(call, 1);
        }

        private void addFirst(ScriptCall<?> call) {
            gathered.addFirst(call);
            count(call, 1);
        }

        private ScriptCall<?> pollFirst() {
            ScriptCall<?> call = gathered.poll();
            count(call, -1);
            return call;
        }

        private void count(ScriptCall<?> call, int sign) {
            gatheredSize += sign * call.size;
            gatheredAwaited += call.awaited ? sign : 0;
        }

        /** Removes the calls of one command. */
        private List<ScriptCall<?>> pollCommand() {
            List<ScriptCall<?>> calls = new ArrayList<>(Math.min(gathered.size(), MOST_TOGETHER));
            int room = MOST_TOGETHER;
            while (!gathered.isEmpty() && (calls.isEmpty() || gathered.peek().size <= room)) {
                ScriptCall<?> call = pollFirst();
                calls.add(call);
                room -= call.size;
            }
            return calls;
        }

        // Only when no copy is in flight, so that a late reply cannot be out of order again.
        private void takeBackIfAllAreOutOfOrder() {
            for (Batch batch : batches) {
                if (!batch.outOfOrder) {
                    return;
                }
            }
            for (Batch batch = batches.pollLast(); batch != null; batch = batches.pollLast()) {
                for (int i = batch.calls.size() - 1; i >= 0; i--) {
                    ScriptCall<?> call = batch.calls.get(i);
                    call.mayHaveBeenCarriedOut |= batch.mayHaveBeenCarriedOut();
                    addFirst(call);
                }
            }
        }
    }

    /** One command: a call that goes alone, or calls of one bulkhead, which are chosen when the command is sent. */
    private final class Batch extends RedisCall<List<String>> {

        private final BulkheadKeys keys;
        // Null for a call that goes alone.
        private final Group group;
        // Null until they are chosen.
        private List<ScriptCall<?>> calls;
        private boolean awaited;
        /** It ended before an earlier command of the bulkhead was answered, and its calls are to be sent again. */
        private boolean outOfOrder;

        private Batch(Group group) {
            this.keys = group.keys;
            this.group = group;
            this.elapsedTicks = ticksSince(group.gathered.peek());
        }

        private Batch(BulkheadKeys keys, ScriptCall<?> alone) {
            this.keys = keys;
            this.group = null;
            this.calls = List.of(alone);
            this.elapsedTicks = ticksSince(alone);
        }

        private boolean isAlone() {
            return group == null;
        }

        private boolean hasCalls() {
            return calls != null;
        }

        /** Whether all earlier commands of the bulkhead are answered. */
        private boolean isFirst() {
            return isAlone() || group.batches.peek() == this;
        }

        // The server calls this in its loop that sends. The next batch is submitted from here, to be sent right behind.
        @Override
        protected Future<List<String>> over(Connection connection) {
            if (!hasCalls()) {
                chooseCalls();
                submitNext(group);
            }
            return script.run(keys, ScriptCall.arguments(process, calls), connection).map(this::answersOf)
                    .recover(this::refused);
        }

        private void chooseCalls() {
            calls = group.pollCommand();
            for (ScriptCall<?> call : calls) {
                awaited |= call.awaited;
            }
        }

        private List<String> answersOf(Response response) {
            ScriptCall.Reply reply = ScriptCall.Reply.of(response.toString());
            if (!reply.notices().isEmpty()) {
                notices.accept(keys.bulkhead(), reply.notices());
            }
            return reply.answers();
        }

        // If an earlier command of the bulkhead is not answered, Redis refused that one as well, and it is sent again first.
        private Future<List<String>> refused(Throwable failure) {
            Optional<ErrorReply> error = ErrorReply.of(failure);
            if (isFirst() || error.isEmpty()) {
                return Future.failedFuture(failure);
            }
            refusedBefore(error.get());
            return Future.failedFuture(new OutOfOrderException());
        }

        private void complete(ScriptCall<?> call, List<String> answers, int index) {
            try {
                call.complete(answers, index, isRepeated());
            } catch (RuntimeException e) {
                call.fail(ServerCall.unexpectedReply(about(), true, e));
            }
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
            return super.mayHaveBeenCarriedOut() || hasCalls() && calls.stream().anyMatch(call -> call.mayHaveBeenCarriedOut);
        }

        // Of several calls, each is sent again alone.
        @Override
        protected boolean logsRefusal() {
            return calls.size() == 1;
        }
    }
}
