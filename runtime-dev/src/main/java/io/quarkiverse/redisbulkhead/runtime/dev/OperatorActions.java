package io.quarkiverse.redisbulkhead.runtime.dev;

import java.util.Optional;
import java.util.function.Function;

import io.quarkiverse.redisbulkhead.RedisSemaphore;
import io.quarkiverse.redisbulkhead.runtime.overview.OperatorTargets;
import io.quarkiverse.redisbulkhead.runtime.store.Failures;
import io.smallrye.mutiny.Uni;

/** The actions of people: revoke a permit, set a limit, and reset it. */
final class OperatorActions {

    /**
     * The outcome of an action.
     *
     * @param done whether something was changed
     * @param message what, or why not
     */
    record Outcome(boolean done, String message) {
    }

    private final OperatorTargets targets;
    private final Runnable changed;

    /**
     * @param targets finds what to change
     * @param changed called after each change, before the result is returned
     */
    OperatorActions(OperatorTargets targets, Runnable changed) {
        this.targets = targets;
        this.changed = changed;
    }

    /**
     * Revokes a permit.
     *
     * @return fails if there is no such limit, a value is missing, or Redis is unavailable
     */
    Uni<Outcome> revoke(String bulkhead, Optional<String> key, String permitId) {
        return on(bulkhead, key, limit -> limit.revokeAsync(required("permitId", permitId))).map(revoked -> revoked
                ? new Outcome(true,
                        "The permit " + permitId + " is revoked and free. Its process learns of the loss at once, or"
                                + " with its next renewal")
                : new Outcome(false, "The permit " + permitId + " is no longer held"));
    }

    /**
     * Sets the limit for all applications.
     *
     * @return fails if there is no such limit, a value is missing, or Redis is unavailable
     */
    Uni<Outcome> resize(String bulkhead, Optional<String> key, Integer permits) {
        return on(bulkhead, key, limit -> limit.resizeAsync(required("permits", permits)))
                .map(done -> new Outcome(true,
                        "The limit of '" + bulkhead + "' is now " + permits + " for all applications"));
    }

    /**
     * Resets a limit.
     *
     * @return fails if there is no such limit, a value is missing, or Redis is unavailable
     */
    Uni<Outcome> resetSize(String bulkhead, Optional<String> key) {
        return on(bulkhead, key, RedisSemaphore::resetSizeAsync).map(reset -> reset
                ? new Outcome(true, "Each application applies its own limit of '" + bulkhead + "' again")
                : new Outcome(false, "The limit of '" + bulkhead + "' was not resized"));
    }

    private <T> Uni<T> on(String bulkhead, Optional<String> key, Function<RedisSemaphore, Uni<T>> action) {
        return Uni.createFrom().deferred(() -> targets.limit(required("bulkhead", bulkhead), key))
                .chain(limit -> action.apply(limit).eventually(changed));
    }

    /** Tools may omit anything, whatever their schema says. */
    static <T> T required(String parameter, T value) {
        if (value == null) {
            throw new IllegalArgumentException(parameter + " is missing");
        }
        return value;
    }

    /** An action of a page, which shows failures like other outcomes. */
    static Uni<Outcome> shown(Uni<Outcome> action) {
        return action.onFailure().recoverWithItem(failure -> new Outcome(false, Failures.text(failure)));
    }
}
