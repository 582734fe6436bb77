package io.quarkiverse.redisbulkhead.runtime.store.lock;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.Waiter;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.Occupancy;
import io.quarkiverse.redisbulkhead.runtime.store.lock.ScoredSet.Member;
import io.quarkiverse.redisbulkhead.runtime.store.redis.BulkheadKeys;
import io.quarkiverse.redisbulkhead.runtime.store.redis.BulkheadKeys.Part;
import io.quarkiverse.redisbulkhead.runtime.store.redis.PermitDetails;
import io.quarkiverse.redisbulkhead.runtime.store.redis.RedisCall;
import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;

/**
 * Looks at a bulkhead without its lock: who holds and who waits comes from one transaction that only reads, what is known
 * about each of them from a question after it. Whoever has gone between the two is not told of.
 */
final class OccupancyCall implements RedisCall<Occupancy> {

    private final BulkheadId bulkhead;
    private final BulkheadKeys keys;
    private final int most;
    private final ServerClock clock;

    OccupancyCall(BulkheadId bulkhead, BulkheadKeys keys, int most, StepSettings settings) {
        this.bulkhead = bulkhead;
        this.keys = keys;
        this.most = most;
        this.clock = settings.clock();
    }

    @Override
    public byte[] routingKey() {
        return keys.start();
    }

    @Override
    public String about() {
        return keys.shown() + "*";
    }

    @Override
    public Future<Occupancy> over(RedisConnection connection) {
        return Pipeline.send(connection, List.of(clock.question(), Request.cmd(Command.GET).arg(keys.lock())))
                .compose(replies -> look(connection, clock.read(replies.get(0)).millis()));
    }

    // Of the queue one more than asked for, as the first may be the grace period.
    private Future<Occupancy> look(RedisConnection connection, long now) {
        List<Request> transaction = List.of(Request.cmd(Command.MULTI),
                count(Part.HOLDERS, now), count(Part.WAITERS, now),
                live(Part.HOLDERS, now), live(Part.WAITERS, now),
                Request.cmd(Command.ZRANGE).arg(keys.of(Part.QUEUE)).arg(0).arg(most),
                Request.cmd(Command.HKEYS).arg(keys.of(Part.LIMITS)), Request.cmd(Command.HVALS).arg(keys.of(Part.LIMITS)),
                Request.cmd(Command.EXEC));
        return Pipeline.send(connection, transaction).compose(Transactions::results).compose(results -> {
            Response state = results.orElseThrow();
            Seen seen = new Seen(state.get(0).toInteger(), state.get(1).toInteger(), Questions.members(state.get(2)),
                    Questions.members(state.get(3)), texts(state.get(4)), limits(state.get(5), state.get(6)), now);
            return describe(connection, seen);
        });
    }

    private Request count(Part part, long now) {
        return Request.cmd(Command.ZCOUNT).arg(keys.of(part)).arg("(" + now).arg("+inf");
    }

    private Request live(Part part, long now) {
        return Request.cmd(Command.ZRANGEBYSCORE).arg(keys.of(part)).arg("(" + now).arg("+inf").arg("WITHSCORES")
                .arg("LIMIT").arg(0).arg(most);
    }

    /**
     * The answer of the transaction.
     *
     * @param queue the ids of the first in the queue
     */
    private record Seen(int inUse, int waiting, List<Member> holders, List<Member> waiters, List<String> queue,
            LimitsHash limits, long now) {
    }

    private static List<String> texts(Response reply) {
        return reply.stream().map(Response::toString).toList();
    }

    private LimitsHash limits(Response fields, Response values) {
        LimitsHash limits = new LimitsHash(keys.of(Part.LIMITS));
        limits.know(fields, values);
        return limits;
    }

    private Future<Occupancy> describe(RedisConnection connection, Seen seen) {
        List<String> ids = Stream.of(seen.holders().stream().map(Member::id), seen.queue().stream(),
                seen.waiters().stream().map(Member::id)).flatMap(each -> each).distinct().toList();
        if (most == 0 || ids.isEmpty()) {
            return Future.succeededFuture(occupancy(seen, List.of(), List.of()));
        }
        Map<String, PermitDetails> details = new HashMap<>();
        Map<String, Long> places = new HashMap<>();
        seen.waiters().forEach(waiter -> places.put(waiter.id(), waiter.score()));
        Questions questions = new Questions();
        questions.askDetails(keys.of(Part.DETAILS), ids, (id, found) -> found.ifPresent(known -> details.put(id, known)));
        if (!seen.queue().isEmpty()) {
            questions.askScores(keys.of(Part.WAITERS), seen.queue(),
                    (id, score) -> score.ifPresent(placeEnd -> places.put(id, placeEnd)));
        }
        return questions.sendOver(connection).map(read -> {
            List<Holder> holders = seen.holders().stream().filter(member -> details.containsKey(member.id()))
                    .map(member -> details.get(member.id()).holder(bulkhead, member.id(), member.score())).toList();
            return occupancy(seen, holders, waiters(seen, details, places));
        });
    }

    /** Those in the queue first and in order, the others by the time of their coming. */
    private List<Waiter> waiters(Seen seen, Map<String, PermitDetails> details, Map<String, Long> places) {
        return Stream.concat(seen.queue().stream(), seen.waiters().stream().map(Member::id)).distinct()
                .filter(id -> details.containsKey(id) && places.getOrDefault(id, 0L) > seen.now())
                .limit(most)
                .map(id -> details.get(id).waiter(bulkhead, id, places.get(id)))
                .sorted(PermitDetails.WAITERS_IN_ORDER)
                .toList();
    }

    private static Occupancy occupancy(Seen seen, List<Holder> holders, List<Waiter> waiters) {
        return new Occupancy(seen.inUse(), seen.waiting(), seen.limits().override(), seen.limits().statedAt(seen.now()),
                holders, waiters);
    }
}
