package org.acme.migrating;

import io.quarkus.scheduler.Scheduled;
import net.javacrumbs.shedlock.cdi.SchedulerLock;

/** Before: a job under a lock of ShedLock. Compiled, but not run: it needs a lock provider. */
public class LockedStatistics {

    private int updates;

    // tag::scheduled[]
    @Scheduled(cron = "0 0 * * * ?")
    @SchedulerLock(name = "statistics", lockAtMostFor = "30m", lockAtLeastFor = "5s")
    void update() {
        updateStatistics();
    }
    // end::scheduled[]

    private void updateStatistics() {
        updates++;
    }
}
