package io.quarkiverse.redisbulkhead.runtime.store.script;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.Waiter;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.HandOver;
import io.quarkiverse.redisbulkhead.runtime.store.Occupancy;
import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.PollReply;
import io.quarkiverse.redisbulkhead.runtime.store.redis.PermitDetails;
import io.vertx.redis.client.Response;

/** Reads the replies of the scripts; their form is told in the scripts' headers. */
final class Replies {

    private Replies() {
    }

    /** The reply of {@code poll.lua}. */
    static PollReply poll(Response reply) {
        Map<String, HandOver> handedOver = new HashMap<>();
        Response given = reply.get(3);
        for (int i = 0; i < given.size(); i += 3) {
            handedOver.put(given.get(i).toString(), new HandOver(given.get(i + 1).toLong(), given.get(i + 2).toLong()));
        }
        Set<String> gone = new HashSet<>();
        reply.get(4).forEach(id -> gone.add(id.toString()));
        return new PollReply(handedOver, gone, reply.get(1).toInteger(), Duration.ofMillis(reply.get(2).toLong()),
                reply.get(0).toLong());
    }

    /** The reply of {@code occupancy.lua}. */
    static Occupancy occupancy(BulkheadId bulkhead, Response reply) {
        int resized = reply.get(2).toInteger();
        List<Holder> holders = new ArrayList<>();
        reply.get(5).forEach(row -> holders.add(
                details(row).holder(bulkhead, row.get(0).toString(), row.get(1).toLong())));
        List<Waiter> waiters = new ArrayList<>();
        reply.get(6).forEach(row -> waiters.add(
                details(row).waiter(bulkhead, row.get(0).toString(), row.get(1).toLong())));
        // Those in the queue come first and in order; the others come in no order.
        waiters.sort(PermitDetails.WAITERS_IN_ORDER);
        return new Occupancy(reply.get(0).toInteger(), reply.get(1).toInteger(),
                resized == 0 ? OptionalInt.empty() : OptionalInt.of(resized), stated(reply.get(3), reply.get(4).toLong()),
                List.copyOf(holders), List.copyOf(waiters));
    }

    private static SortedSet<Integer> stated(Response pairs, long now) {
        SortedSet<Integer> limits = new TreeSet<>();
        for (int i = 0; i < pairs.size(); i += 2) {
            if (now - pairs.get(i + 1).toLong() < PermitStore.LIMIT_REMEMBERED.toMillis()) {
                limits.add(pairs.get(i).toInteger());
            }
        }
        return limits;
    }

    private static PermitDetails details(Response row) {
        return PermitDetails.parse(row.get(2).toString()).orElse(PermitDetails.NOTHING);
    }
}
