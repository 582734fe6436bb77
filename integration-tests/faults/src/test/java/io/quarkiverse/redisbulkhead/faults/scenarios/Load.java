package io.quarkiverse.redisbulkhead.faults.scenarios;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.quarkiverse.redisbulkhead.faults.harness.Stage;
import io.quarkiverse.redisbulkhead.faults.harness.Store;
import io.quarkiverse.redisbulkhead.faults.harness.WorkerProcess;
import io.quarkiverse.redisbulkhead.faults.harness.WorkerProcess.Held;

/** The load during a fault: one application always holds a permit, and all of them call open, fair and single bulkheads. */
final class Load {

    /** The lease with {@link #PATIENT}. */
    static final Duration PATIENT_LEASE = Duration.ofSeconds(15);

    /** Configuration with which a busy machine causes neither rejections nor lost permits. */
    static final Map<String, String> PATIENT = Map.of("quarkus.redis-bulkhead.command-timeout", "5s", Stage.LEASE_PROPERTY,
            PATIENT_LEASE.toSeconds() + "s", "worker.wait", "20s");

    private static final long HOLD_MILLIS = 20;
    private static final int MANY_KEYS = 100_000;

    private final Stage stage;
    private final List<WorkerProcess> workers;
    private final Held held;
    private final Set<String> heldPermits;

    private Load(Stage stage, List<WorkerProcess> workers, Held held, Set<String> heldPermits) {
        this.stage = stage;
        this.workers = workers;
        this.held = held;
        this.heldPermits = heldPermits;
    }

    /** Merges configurations, of which later ones override earlier ones. */
    @SafeVarargs
    static Map<String, String> with(Map<String, String>... configurations) {
        Map<String, String> all = new HashMap<>();
        List.of(configurations).forEach(all::putAll);
        return all;
    }

    /** Starts two applications and their callers, and returns when all of them are running. */
    static Load start(Stage stage, String redisUrl) {
        return start(stage, redisUrl, Map.of());
    }

    /** As the other one, with a lease longer than the scenario, so that leftovers do not expire in time. */
    static Load startWithLongLease(Stage stage, String redisUrl) {
        return start(stage, redisUrl, Map.of(Stage.LEASE_PROPERTY, "60s"));
    }

    /** As the first one, with callers that can wait for Redis as long as for a permit. */
    static Load startPatient(Stage stage, String redisUrl) {
        return start(stage, redisUrl, PATIENT);
    }

    /** As the first one, with more configuration. */
    static Load start(Stage stage, String redisUrl, Map<String, String> configuration) {
        List<WorkerProcess> workers = stage.workers(2, redisUrl, configuration);
        // Before the callers, which may overtake it repeatedly: "open" is not fair.
        Held held = workers.get(0).hold("open");
        stage.awaitThat("a holder", held::isInside);
        Set<String> heldPermits = stage.history().permitsOf(workers.get(0).name());
        for (WorkerProcess worker : workers) {
            worker.load("open", "sync", 2, HOLD_MILLIS).load("open", "uni", 2, HOLD_MILLIS);
            worker.load("fair", "sync", 2, HOLD_MILLIS).load("fair", "uni", 2, HOLD_MILLIS);
            worker.load("single", "sync", 1, HOLD_MILLIS);
        }
        stage.awaitEntries(100);
        // Cold processes may be too slow for their time limits.
        stage.history().forgetRejections();
        return new Load(stage, workers, held, heldPermits);
    }

    /** Adds callers that never wait, so that commands are in flight at any moment. */
    Load withCommandsInFlight() {
        workers.forEach(worker -> worker.load("keyed", "uni", 5, 5, MANY_KEYS));
        stage.awaitThat("commands in flight", () -> stage.history().entries("keyed") > 100);
        stage.history().forgetRejections();
        return this;
    }

    /** The application that holds a permit for the whole time. */
    WorkerProcess holder() {
        return workers.get(0);
    }

    /** Waits until calls are rejected as unavailable, which happens before a lease expires. */
    void awaitUnavailable() {
        long goal = stage.history().unavailable("open") + 3;
        stage.awaitThat("rejections", () -> stage.history().unavailable("open") >= goal);
    }

    /** The last rejection as unavailable names the cause: the words of the server, and the setting to change. */
    void assertReason(String... words) {
        assertThat(stage.history().lastException("open unavailable")).contains(words).doesNotContain("no answer");
    }

    /** Waits until all bulkheads work as before. */
    void awaitRecovery(Duration atMost) {
        stage.awaitRecovery("open", atMost);
        stage.awaitRecovery("fair", atMost);
        stage.awaitRecovery("single", atMost);
        stage.awaitEntries(50);
    }

    /** The holder leaves, whether it still has its permit or not. */
    void leave() {
        held.leave();
    }

    /** No execution lost its permit, unless its application got no processor time; and the holder leaves. */
    void assertNothingLost() {
        held.leave();
        workers.stream().filter(worker -> !worker.hasStoodStill())
                .forEach(worker -> assertThat(worker.losses()).as("losses of %s", worker.name()).isEmpty());
    }

    /** Only permits that had just been offered, which ends after three seconds, were lost; and the holder leaves. */
    void assertOnlyOffersLost() {
        assertThat(heldPermits).hasSize(1);
        assertThat(stage.history().permitsOf(holder().name())).containsAll(heldPermits);
        held.leave();
        for (WorkerProcess worker : workers) {
            assertThat(worker.bulkheadsOfLosses()).as("losses of %s", worker.name()).doesNotContain("keyed");
        }
    }

    /**
     * No call was rejected as unavailable. Calls may find a limit exhausted: keyed ones that met on one key, those that others
     * overtook, and with the lock store those that had no turn.
     */
    void assertNoRejections() {
        Map<String, Long> rejections = stage.history().rejections();
        rejections.remove("keyed full");
        rejections.remove("open full");
        if (stage.store() == Store.LOCK) {
            rejections.keySet().removeIf(rejection -> rejection.endsWith(" contended"));
        }
        assertThat(rejections).isEmpty();
    }

    /** The holder leaves, which has lost its permit. */
    void assertHolderLost() {
        held.leave();
        assertThat(holder().losses()).isNotEmpty();
    }
}
