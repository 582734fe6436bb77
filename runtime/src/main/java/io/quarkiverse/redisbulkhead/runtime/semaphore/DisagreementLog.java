package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.Notice.LimitsDiffer;

/**
 * Says once for each bulkhead that instances define it with different limits, and again when the limits change. Where a
 * bulkhead has one limit for each key, it is said once for all of them.
 */
final class DisagreementLog {

    private static final Logger LOG = Logger.getLogger(DisagreementLog.class);

    // Both are guarded by this.
    private final Map<String, LimitsDiffer> told = new Remembered<>();
    private final Set<String> toldOfKeys = Collections.newSetFromMap(new Remembered<>());

    /** By name. The oldest is forgotten, as names may be computed, and so be any number. */
    private static final class Remembered<V> extends LinkedHashMap<String, V> {

        private static final long serialVersionUID = 1L;

        private static final int MOST = 1_000;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, V> eldest) {
            return size() > MOST;
        }
    }

    void tell(LimitsDiffer differ) {
        synchronized (this) {
            if (!isNews(differ)) {
                return;
            }
        }
        if (differ.bulkhead().key().isPresent()) {
            LOG.infof("Different limits were stated for a key of bulkhead '%s': here %d, elsewhere or before %s. That is how a "
                    + "resolver changes the limit of a key; where none does, give all instances the same value",
                    differ.bulkhead().name(), differ.own(), differ.others());
            return;
        }
        LOG.warnf("Instances disagree about bulkhead '%s': this one has permits=%d, others have %s. During a rollout that "
                + "passes; else give all of them the same value", differ.bulkhead(), differ.own(), differ.others());
    }

    private boolean isNews(LimitsDiffer differ) {
        BulkheadId bulkhead = differ.bulkhead();
        return bulkhead.key().isEmpty() ? !differ.equals(told.put(bulkhead.name(), differ))
                : toldOfKeys.add(bulkhead.name());
    }
}
