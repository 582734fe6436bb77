package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.util.LinkedHashMap;
import java.util.Map;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.runtime.store.Notice.LimitsDiffer;

/** Says once for each bulkhead that instances define it with different limits, and again when the limits change. */
final class DisagreementLog {

    private static final Logger LOG = Logger.getLogger(DisagreementLog.class);

    private static final int MOST_REMEMBERED = 1_000;

    // Guarded by this. The oldest is forgotten, as names may be computed, and so be any number.
    private final Map<String, LimitsDiffer> told = new LinkedHashMap<>() {

        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, LimitsDiffer> eldest) {
            return size() > MOST_REMEMBERED;
        }
    };

    void tell(LimitsDiffer differ) {
        synchronized (this) {
            if (differ.equals(told.put(differ.bulkhead(), differ))) {
                return;
            }
        }
        LOG.warnf("Instances disagree about bulkhead '%s': this one has permits=%d, others have %s. During a rollout that "
                + "passes; else give all of them the same value", differ.bulkhead(), differ.own(), differ.others());
    }
}
