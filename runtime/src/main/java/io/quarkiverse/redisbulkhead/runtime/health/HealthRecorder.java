package io.quarkiverse.redisbulkhead.runtime.health;

import java.util.List;

import org.jboss.logging.Logger;

import io.quarkiverse.redisbulkhead.OnOutage;
import io.quarkiverse.redisbulkhead.runtime.BulkheadRegistry;
import io.quarkiverse.redisbulkhead.runtime.overview.DeclaredBulkhead;
import io.quarkus.arc.runtime.BeanContainer;
import io.quarkus.runtime.annotations.Recorder;

/** Tells at start-up about another check that would undo {@code on-outage}. */
@Recorder
public class HealthRecorder {

    private static final Logger LOG = Logger.getLogger(HealthRecorder.class);

    /**
     * All bulkheads go on while Redis is away, and yet the application will not be ready then: that is to be known.
     *
     * @param beans the started container
     */
    public void tellOfTheCheckOfTheClient(BeanContainer beans) {
        List<DeclaredBulkhead> limiting = beans.beanInstance(BulkheadRegistry.class).overview().declared().stream()
                .filter(DeclaredBulkhead::enabled).toList();
        if (!limiting.isEmpty() && limiting.stream().noneMatch(one -> one.spec().onOutage() == OnOutage.REJECT)) {
            LOG.info("All bulkheads go on while Redis is away (on-outage), but the application is not ready then, because the"
                    + " Redis client has a readiness check of its own. If nothing else needs Redis, set"
                    + " quarkus.redis.health.enabled=false when the application is built");
        }
    }
}
