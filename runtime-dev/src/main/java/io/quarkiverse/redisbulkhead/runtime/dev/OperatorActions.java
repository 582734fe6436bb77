package io.quarkiverse.redisbulkhead.runtime.dev;

import java.util.function.Function;

import io.quarkiverse.redisbulkhead.LockSpec;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.smallrye.mutiny.Uni;

/**
 * What people may change: take a permit away, set a limit, and undo that. It works on every bulkhead, declared here or not, but
 * not on those behind locks, which only their owners end.
 */
final class OperatorActions {

    /**
     * What became of it.
     *
     * @param done whether something was changed
     * @param message what, or why not
     */
    record Outcome(boolean done, String message) {
    }

    private final RedisBulkheads bulkheads;

    /**
     * @param bulkheads all bulkheads
     */
    OperatorActions(RedisBulkheads bulkheads) {
        this.bulkheads = bulkheads;
    }

    /**
     * Takes a permit away from its holder.
     *
     * @return does not fail
     */
    Uni<Outcome> revoke(String bulkhead, String key, String permitId) {
        return on(bulkhead, key, semaphore -> semaphore.revokeAsync(permitId)).map(revoked -> revoked
                ? new Outcome(true, "The permit " + permitId + " is revoked. Its holder learns of it with its next renewal")
                : new Outcome(false, "Nobody holds the permit " + permitId + " any more"))
                .onFailure().recoverWithItem(OperatorActions::failed);
    }

    /**
     * Sets the limit for all applications.
     *
     * @return does not fail
     */
    Uni<Outcome> resize(String bulkhead, String key, Integer permits) {
        return on(bulkhead, key, semaphore -> semaphore.resizeAsync(required("permits", permits)))
                .map(done -> new Outcome(true, "The limit of '" + bulkhead + "' is " + permits + " now, for all applications"))
                .onFailure().recoverWithItem(OperatorActions::failed);
    }

    /**
     * Undoes that.
     *
     * @return does not fail
     */
    Uni<Outcome> resetSize(String bulkhead, String key) {
        return on(bulkhead, key, RedisSemaphore::resetSizeAsync).map(reset -> reset
                ? new Outcome(true, "Every application goes by its own limit of '" + bulkhead + "' again")
                : new Outcome(false, "The limit of '" + bulkhead + "' was not resized"))
                .onFailure().recoverWithItem(OperatorActions::failed);
    }

    private <T> Uni<T> on(String bulkhead, String key, Function<RedisSemaphore, Uni<T>> action) {
        return Uni.createFrom().deferred(() -> action.apply(semaphore(required("bulkhead", bulkhead), key)));
    }

    private RedisSemaphore semaphore(String bulkhead, String key) {
        if (bulkhead.startsWith(LockSpec.BULKHEAD_PREFIX)) {
            throw new IllegalArgumentException("'" + bulkhead + "' is behind a lock, which only its owner ends");
        }
        RedisSemaphore all = bulkheads.names().contains(bulkhead) ? bulkheads.semaphore(bulkhead)
                : bulkheads.semaphore(SemaphoreSpec.named(bulkhead).permits(1).build());
        // Tools cannot leave a parameter out, so they say that there is no key by an empty one.
        return key == null || key.isEmpty() && !all.needsKey() ? all : all.forKey(key);
    }

    private static <T> T required(String parameter, T value) {
        if (value == null) {
            throw new IllegalArgumentException(parameter + " is missing");
        }
        return value;
    }

    private static Outcome failed(Throwable failure) {
        return new Outcome(false, failure.getMessage() == null ? failure.toString() : failure.getMessage());
    }
}
