package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Counts the executions that are under way or wait for their permits, so that a shutdown can wait for them. Safe for use
 * by many threads.
 */
public final class Executions {

    private final UnderWay underWay = new UnderWay();

    /**
     * Begins an execution that occupies no worker thread while it waits.
     *
     * @param semaphores in the order in which permits are taken, at least one
     * @param method what the permits are for, as operators see it
     * @return its admission; when the application is stopping, one that is rejected
     */
    public Admission admit(List<Semaphore> semaphores, String method) {
        return admit(semaphores, method, WaitsOn.NO_WORKER_THREAD);
    }

    /**
     * Begins an execution.
     *
     * @param semaphores in the order in which permits are taken, at least one
     * @param method what the permits are for, as operators see it
     * @param waitsOn what the call occupies while it waits
     * @return its admission; when the application is stopping, one that is rejected
     */
    public Admission admit(List<Semaphore> semaphores, String method, WaitsOn waitsOn) {
        underWay.begin();
        try {
            Admission admission = semaphores.size() == 1 ? semaphores.get(0).admit(method, waitsOn)
                    : new AdmissionChain(semaphores, method, waitsOn);
            CountedAdmission counted = admission instanceof CountedAdmission one ? one : new Counted(admission);
            return counted.countedBy(underWay);
        } catch (RuntimeException | Error e) {
            underWay.end();
            throw e;
        }
    }

    /**
     * Waits for the end of all executions.
     *
     * @return completes when none is under way
     */
    public CompletionStage<Void> stop() {
        return underWay.none();
    }

    private static final class Counted extends CountedAdmission {

        private final Admission admission;

        private Counted(Admission admission) {
            this.admission = admission;
        }

        @Override
        public List<HeldPermit> heldNow() {
            return admission.heldNow();
        }

        @Override
        public CompletionStage<List<HeldPermit>> granted() {
            return admission.granted();
        }

        @Override
        public CompletionStage<Void> asked() {
            return admission.asked();
        }

        @Override
        public CompletionStage<Void> end() {
            CompletionStage<Void> ended = admission.end();
            countOff();
            return ended;
        }
    }
}
