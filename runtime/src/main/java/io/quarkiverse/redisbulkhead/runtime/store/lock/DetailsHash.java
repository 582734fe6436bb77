package io.quarkiverse.redisbulkhead.runtime.store.lock;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import io.quarkiverse.redisbulkhead.runtime.store.redis.PermitDetails;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;

/** As much of the details of holders and waiters as a step needs, and the changes that the step makes to them. */
final class DetailsHash {

    private final byte[] key;
    private final Map<String, Optional<PermitDetails>> known = new HashMap<>();
    private final Map<String, PermitDetails> written = new HashMap<>();
    private final Set<String> removed = new HashSet<>();

    DetailsHash(byte[] key) {
        this.key = key;
    }

    /** Adds what was read; empty when there is nothing, or nothing of ours. */
    void know(String id, Optional<PermitDetails> details) {
        known.put(id, details);
    }

    boolean isKnown(String id) {
        return known.containsKey(id);
    }

    Optional<PermitDetails> get(String id) {
        if (!isKnown(id)) {
            throw new IllegalStateException("The details of " + id + " were not read");
        }
        return known.get(id);
    }

    void put(String id, PermitDetails details) {
        known.put(id, Optional.of(details));
        removed.remove(id);
        written.put(id, details);
    }

    void remove(String id) {
        known.put(id, Optional.empty());
        written.remove(id);
        removed.add(id);
    }

    boolean hasGrown() {
        return !written.isEmpty();
    }

    /** The commands that bring the changes about. */
    List<Request> changes() {
        List<Request> commands = new ArrayList<>();
        if (!removed.isEmpty()) {
            Request hdel = Request.cmd(Command.HDEL).arg(key);
            removed.forEach(hdel::arg);
            commands.add(hdel);
        }
        if (!written.isEmpty()) {
            Request hset = Request.cmd(Command.HSET).arg(key);
            written.forEach((id, details) -> hset.arg(id).arg(details.text()));
            commands.add(hset);
        }
        return commands;
    }
}
