package io.quarkiverse.redisbulkhead.runtime.store.lock;

import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.redisbulkhead.runtime.store.lock.OwnPermitsCall.Seen;
import io.quarkiverse.redisbulkhead.runtime.store.lock.ScoredSet.Member;
import io.quarkiverse.redisbulkhead.runtime.store.redis.BulkheadKeys;
import io.quarkiverse.redisbulkhead.runtime.store.redis.BulkheadKeys.Part;
import io.quarkiverse.redisbulkhead.runtime.store.redis.RedisCall;
import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Request;

/**
 * Reads some holders of a bulkhead without its lock, and returns the unexpired permits that Redis keeps for a process. The
 * details of a permit are read after its id; a permit that is released between the two is missing.
 */
final class OwnPermitsCall implements RedisCall<Seen> {

    private final BulkheadKeys keys;
    private final String mailbox;
    private final int first;
    private final int most;
    private final ServerClock clock;

    /**
     * What was seen.
     *
     * @param count how many holders
     * @param own the permits of the process among them
     */
    record Seen(int count, List<String> own) {
    }

    OwnPermitsCall(BulkheadKeys keys, String mailbox, int first, int most, StepSettings settings) {
        this.keys = keys;
        this.mailbox = mailbox;
        this.first = first;
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
    public Future<Seen> over(RedisConnection connection) {
        Request range = Request.cmd(Command.ZRANGE).arg(keys.of(Part.HOLDERS)).arg(first).arg(first + most - 1)
                .arg("WITHSCORES");
        return Pipeline.send(connection, List.of(clock.question(), range)).compose(replies -> {
            long now = clock.read(replies.get(0)).millis();
            List<Member> members = Questions.members(replies.get(1));
            List<String> ids = members.stream().filter(member -> member.score() > now).map(Member::id).toList();
            if (ids.isEmpty()) {
                return Future.succeededFuture(new Seen(members.size(), List.of()));
            }
            List<String> own = new ArrayList<>();
            Questions questions = new Questions();
            questions.askDetails(keys.of(Part.DETAILS), ids, (id, details) -> details
                    .filter(known -> known.mailbox().equals(mailbox)).ifPresent(known -> own.add(id)));
            return questions.sendOver(connection).map(read -> new Seen(members.size(), own));
        });
    }
}
