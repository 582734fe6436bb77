package io.quarkiverse.redisbulkhead.runtime.store.lock;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

import io.quarkiverse.redisbulkhead.runtime.store.redis.PermitDetails;

/** As much of the details of holders and waiters as a step needs, and the changes that the step makes to them. */
final class DetailsHash {

    private final Map<String, Optional<PermitDetails>> known = new HashMap<>();
    private final Changes changes;

    DetailsHash(byte[] key) {
        this.changes = Changes.ofHash(key);
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
        changes.write(id, details.text());
    }

    void remove(String id) {
        known.put(id, Optional.empty());
        changes.remove(id);
    }

    Changes changes() {
        return changes;
    }
}
