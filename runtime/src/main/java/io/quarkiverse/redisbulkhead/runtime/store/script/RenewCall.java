package io.quarkiverse.redisbulkhead.runtime.store.script;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.vertx.redis.client.Response;

/** Lengthens leases; answers with the permits that are not held any more. */
final class RenewCall extends BatchedCall<Set<String>> {

    private final List<Map.Entry<String, Duration>> leases;

    RenewCall(BatchScript script, BulkheadId bulkhead, Map<String, Duration> leases) {
        super(script, bulkhead);
        this.leases = List.copyOf(leases.entrySet());
    }

    @Override
    public int size() {
        return leases.size();
    }

    @Override
    void write(BatchArguments to) {
        leases.forEach(lease -> to.renew(lease.getKey(), lease.getValue()));
    }

    @Override
    Set<String> read(Response reply, int first) {
        Set<String> gone = new HashSet<>();
        for (int i = 0; i < leases.size(); i++) {
            if (reply.get(first + i).toInteger() == 0) {
                gone.add(leases.get(i).getKey());
            }
        }
        return gone;
    }
}
