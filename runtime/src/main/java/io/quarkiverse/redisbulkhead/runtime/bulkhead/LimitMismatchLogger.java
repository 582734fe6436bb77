package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;

/**
 * Logs that instances define a bulkhead with different limits: once per bulkhead, and again when the limits change. For a
 * bulkhead with keys, once for all keys. Thread-safe.
 */
public final class LimitMismatchLogger {

    private static final Logger LOG = Logger.getLogger(LimitMismatchLogger.class);

    // These two collections are guarded by the lock of this object.
    private final Map<String, LimitMismatch> logged = new Remembered<>();
    private final Set<String> loggedForKeys = Collections.newSetFromMap(new Remembered<>());

    /** By name. Forgets the oldest entry, because the number of computed names is unbounded. */
    private static final class Remembered<V> extends LinkedHashMap<String, V> {

        private static final long serialVersionUID = 1L;

        private static final int MOST = 1_000;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, V> eldest) {
            return size() > MOST;
        }
    }

    public void log(LimitMismatch mismatch) {
        synchronized (this) {
            if (!isNews(mismatch)) {
                return;
            }
        }
        if (mismatch.bulkhead().key().isPresent()) {
            LOG.infof("Calls use different limits for a key of bulkhead '%s': %d here, %s elsewhere or earlier. This "
                    + "is expected when a resolver changes the limit of a key. Otherwise, configure the same limit on "
                    + "all instances",
                    mismatch.bulkhead().name(), mismatch.own(), mismatch.others());
            return;
        }
        LOG.warnf("Instances have different limits for bulkhead '%s': permits=%d here, %s elsewhere. This is expected "
                + "during a rollout. Otherwise, configure the same limit on all instances", mismatch.bulkhead(), mismatch.own(),
                mismatch.others());
    }

    private boolean isNews(LimitMismatch mismatch) {
        BulkheadId bulkhead = mismatch.bulkhead();
        return bulkhead.key().isEmpty() ? !mismatch.equals(logged.put(bulkhead.name(), mismatch))
                : loggedForKeys.add(bulkhead.name());
    }
}
