package io.quarkiverse.redisbulkhead.runtime.store;

import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toMap;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** One step of a history. It is done to the store and to the model, and compares their answers. */
sealed interface ModelStep {

    /** Which ticket a request says that it had before. */
    enum OldTicket {
        NONE,
        /** The one that it was told last, or none. */
        ITS_OWN,
        /** The one that anybody was told last, or none. */
        THE_LATEST,
        /** Of a minute ago. */
        EARLY,
        /** One that nobody can have. */
        ABSURD,
        SMALLEST
    }

    void play(ModelRun run);

    /** Whether the queue has been served after the step. */
    default boolean settles(ModelRun run) {
        return true;
    }

    /**
     * A request for a permit; a repeated one when the id has a permit or a place already.
     *
     * @param old which ticket it says that it had before
     */
    record Acquire(int client, String id, int limit, long lease, boolean fair, long place, OldTicket old) implements ModelStep {

        @Override
        public void play(ModelRun run) {
            AcquireRequest request = new AcquireRequest(BulkheadId.of(run.name()), run.id(id), limit, Duration.ofMillis(lease),
                    fair,
                    Duration.ofMillis(place), run.oldTicket(id, old), "app" + client, "host:" + client, "Type#" + id);
            run.remember(request);
            AcquireReply reply = run.call(client, store -> store.acquire(request));
            run.compare(run.model().acquire(request), reply);
            run.told(id, reply);
        }

        @Override
        public boolean settles(ModelRun run) {
            return !(run.lastAnswer() instanceof AcquireReply.Cancelled);
        }

        @Override
        public String toString() {
            return "client " + client + " asks for " + id + (fair ? ", fair" : ", not fair") + ", limit " + limit
                    + ", lease " + lease + " ms, " + (place == 0 ? "does not wait" : "waits " + place + " ms")
                    + (old == OldTicket.NONE ? "" : ", with a ticket: " + old);
        }
    }

    /** A sign of life. */
    record Poll(int client, int limit, List<String> permitIds, long place) implements ModelStep {

        @Override
        public void play(ModelRun run) {
            List<String> ids = permitIds.stream().map(run::id).toList();
            run.compare(run.model().poll(limit, ids, place),
                    run.call(client, store -> store.poll(BulkheadId.of(run.name()), limit, ids, Duration.ofMillis(place))));
        }

        @Override
        public String toString() {
            return "client " + client + " polls with limit " + limit + " for " + permitIds + ", place " + place + " ms";
        }
    }

    /** A permit or a place is given back. */
    record Release(int client, String id) implements ModelStep {

        @Override
        public void play(ModelRun run) {
            run.compare(run.model().release(run.id(id)),
                    run.call(client, store -> store.release(BulkheadId.of(run.name()), run.id(id))));
        }

        @Override
        public String toString() {
            return "client " + client + " releases " + id;
        }
    }

    /** Requests are undone. */
    record Cancel(int client, List<String> ids, long forgetAfter) implements ModelStep {

        @Override
        public void play(ModelRun run) {
            List<String> unique = ids.stream().map(run::id).toList();
            run.model().cancel(unique, forgetAfter);
            run.call(client, store -> store.cancel(BulkheadId.of(run.name()), unique, Duration.ofMillis(forgetAfter)));
        }

        @Override
        public String toString() {
            return "client " + client + " cancels " + String.join(", ", ids) + " for " + forgetAfter + " ms";
        }
    }

    /** Leases are lengthened. */
    record Renew(int client, Map<String, Long> leases) implements ModelStep {

        @Override
        public void play(ModelRun run) {
            Set<String> lost = run.model().renew(run.ids(leases));
            run.compare(lost, run.call(client, store -> store.renew(BulkheadId.of(run.name()), durations(run.ids(leases)))));
        }

        @Override
        public boolean settles(ModelRun run) {
            return false;
        }

        @Override
        public String toString() {
            return "client " + client + " renews " + millis(leases);
        }
    }

    /** An operator takes a permit away. */
    record Revoke(int client, String id) implements ModelStep {

        @Override
        public void play(ModelRun run) {
            run.compare(run.model().revoke(run.id(id)),
                    run.call(client, store -> store.revoke(BulkheadId.of(run.name()), run.id(id))));
        }

        @Override
        public String toString() {
            return "client " + client + " revokes " + id;
        }
    }

    /** An operator sets the limit. */
    record Resize(int client, int limit) implements ModelStep {

        @Override
        public void play(ModelRun run) {
            run.model().resize(limit);
            run.call(client, store -> store.resize(BulkheadId.of(run.name()), limit));
        }

        @Override
        public String toString() {
            return "client " + client + " resizes to " + limit;
        }
    }

    /** An operator undoes that. */
    record ResetSize(int client) implements ModelStep {

        @Override
        public void play(ModelRun run) {
            run.compare(run.model().resetSize(), run.call(client, store -> store.resetSize(BulkheadId.of(run.name()))));
        }

        @Override
        public String toString() {
            return "client " + client + " resets the size";
        }
    }

    /** An operator looks. */
    record Look(int client, int most) implements ModelStep {

        @Override
        public void play(ModelRun run) {
            run.compareOccupancy(run.call(client, store -> store.occupancy(BulkheadId.of(run.name()), most)), most);
        }

        @Override
        public boolean settles(ModelRun run) {
            return false;
        }

        @Override
        public String toString() {
            return "client " + client + " looks at " + most;
        }
    }

    /** Time passes. */
    record Advance(long millis) implements ModelStep {

        @Override
        public void play(ModelRun run) {
            run.advance(millis);
        }

        @Override
        public boolean settles(ModelRun run) {
            return false;
        }

        @Override
        public String toString() {
            return millis + " ms pass";
        }
    }

    private static Map<String, Duration> durations(Map<String, Long> millis) {
        return millis.entrySet().stream().collect(toMap(Map.Entry::getKey, entry -> Duration.ofMillis(entry.getValue())));
    }

    private static String millis(Map<String, Long> durations) {
        return durations.entrySet().stream().map(entry -> entry.getKey() + " (" + entry.getValue() + " ms)").sorted()
                .collect(joining(", "));
    }
}
