package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.quarkiverse.redisbulkhead.runtime.store.StoreException;

/**
 * A call from {@link RedisConnectionManager#send} until it is answered or given up. Touched on the context of the manager only,
 * except for the answer.
 */
final class PendingCall<T> {

    final CompletableFuture<RedisAnswer<T>> answer = new CompletableFuture<>();

    private final RedisCall<T> call;

    /** When the server got the call, in its ticks. */
    long beganTick;

    /** For how long other servers had the call before. */
    long elapsedTicks;

    /** How often a transient error was the answer. */
    int retries;

    /** How often a node of a cluster named another one. */
    int redirects;

    /** Whether the node is to be told that it was named by {@code ASK}. */
    boolean asking;

    private int copies;
    private boolean alone;

    PendingCall(RedisCall<T> call) {
        this.call = call;
    }

    RedisCall<T> call() {
        return call;
    }

    /** With what calls it goes together; null when it goes alone. */
    Object group() {
        return !alone && !asking && call instanceof JointCall<?> joint ? joint.group() : null;
    }

    /** How much of a command it takes. */
    int size() {
        return call instanceof JointCall<?> joint ? joint.load() : 1;
    }

    /** See {@link JointCall#isAwaited()}. */
    boolean isAwaited() {
        return !(call instanceof JointCall<?> joint) || joint.isAwaited();
    }

    String about() {
        return call.about();
    }

    /** The call is handed to a connection. From now on it may be carried out, even if no answer comes. */
    void sent() {
        copies++;
    }

    /**
     * Redis answered the copy that was sent last with an error; unless the error came in the middle of its work, nothing was
     * done.
     */
    void refusedBefore(ErrorReply refusal) {
        if (!call.mayHaveBegunBefore(refusal)) {
            copies--;
        }
    }

    /** One of the calls that it went with may be the reason for an error. It goes alone from now on. */
    void goAlone() {
        alone = true;
    }

    @SuppressWarnings("unchecked")
    void complete(Object value) {
        answer.complete(new RedisAnswer<>((T) value, copies > 1));
    }

    /** Completes with what is read from a reply. */
    void completeFrom(Supplier<?> reading) {
        try {
            complete(reading.get());
        } catch (RuntimeException e) {
            notUnderstood(e);
        }
    }

    /** There was a reply, but not one that answers the call. */
    void notUnderstood(Throwable failure) {
        answer.completeExceptionally(failure instanceof StoreException ? failure
                : new StoreException("Unexpected reply from Redis for " + about() + " (" + failure
                        + "). If another application writes there, set quarkus.redis-bulkhead.key-prefix to a prefix of your own",
                        mayHaveBeenCarriedOut(), failure));
    }

    /** Redis refuses the call for good. An earlier copy may have been carried out all the same. */
    void refuse(ErrorReply refusal, String explanation) {
        refusedBefore(refusal);
        answer.completeExceptionally(new RefusedException(refusal, explanation, mayHaveBeenCarriedOut()));
    }

    /** Whether a copy of the call may have been carried out, or may still be. */
    boolean mayHaveBeenCarriedOut() {
        return copies > 0 || call.mayHaveBeenCarriedOut();
    }

    void fail(StoreException failure) {
        answer.completeExceptionally(failure);
    }
}
