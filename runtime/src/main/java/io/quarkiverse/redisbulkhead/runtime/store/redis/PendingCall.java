package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.quarkiverse.redisbulkhead.runtime.store.StoreException;

/** A call that somebody waits for, from {@link RedisLink#send} until it is answered or given up. */
final class PendingCall<T> {

    final CompletableFuture<RedisAnswer<T>> answer = new CompletableFuture<>();

    private final RedisCall<T> call;

    private final long beganNanos;

    // All are touched on the context of the link only.
    private long silentSinceNanos;
    private long sentAtNanos;
    private int copies;
    private RedisSession sentOver;
    private boolean alone;

    /**
     * @param beganNanos since when there is no sign of life
     */
    PendingCall(RedisCall<T> call, long beganNanos) {
        this.call = call;
        this.beganNanos = beganNanos;
        this.silentSinceNanos = beganNanos;
    }

    RedisCall<T> call() {
        return call;
    }

    /** With what calls it goes together; null when it goes alone. */
    Object group() {
        return !alone && call instanceof JointCall<?> joint ? joint.group() : null;
    }

    /** How much of a command it takes. */
    int size() {
        return call instanceof JointCall<?> joint ? joint.size() : 1;
    }

    /** The call is handed to a connection. From now on it may be carried out, even if no answer comes. */
    void isSentOver(RedisSession session) {
        copies = copies + 1;
        sentOver = session;
        sentAtNanos = System.nanoTime();
    }

    /**
     * The server refuses the command in which the call went with others; one of those may be the reason. The call goes
     * alone from now on.
     */
    void goAlone(ErrorReply refusal) {
        alone = true;
        if (!call.mayHaveBegunBefore(refusal)) {
            copies = copies - 1;
        }
    }

    /** The answer has come. */
    @SuppressWarnings("unchecked")
    void answered(Object value) {
        answer.complete(new RedisAnswer<>((T) value, copies > 1));
    }

    /** A reply has come that has the answer in it. */
    void answered(Supplier<?> inReply) {
        try {
            answered(inReply.get());
        } catch (RuntimeException e) {
            failed(e);
        }
    }

    /** There was a reply, but not one that answers the call. */
    void failed(Throwable failure) {
        answer.completeExceptionally(failure instanceof StoreException ? failure : notUnderstood(failure));
    }

    private StoreException notUnderstood(Throwable failure) {
        return new StoreException("What Redis holds under " + about() + "* was not understood (" + failure
                + "). If another application writes there, set quarkus.redis-bulkhead.key-prefix to a prefix that nobody else uses",
                copies > 0 || call.mayHaveBeenCarriedOut(), failure);
    }

    /** The connection that the call was last sent over, or null when it never was. */
    RedisSession sentOver() {
        return sentOver;
    }

    /** Since when somebody waits for the answer. */
    long beganNanos() {
        return beganNanos;
    }

    /** When the call was last sent. */
    long sentAtNanos() {
        return sentAtNanos;
    }

    /** The call waited behind others, and its turn has come because one of them was answered. */
    void turnHasCome() {
        silentSinceNanos = System.nanoTime();
    }

    /**
     * Since when nothing tells that this call will be answered. While it waits behind others, their answers are signs of
     * life.
     *
     * @param answeredNanos when the last answer came, to whatever call
     */
    long silentSinceNanos(long answeredNanos) {
        return sentOver == null && answeredNanos - silentSinceNanos > 0 ? answeredNanos : silentSinceNanos;
    }

    String about() {
        return call.about();
    }

    /** The server refuses the call. An earlier copy may have been carried out all the same. */
    void refuse(ErrorReply refusal) {
        answer.completeExceptionally(new RefusedException(refusal,
                copies > 1 || call.mayHaveBeenCarriedOut() || call.mayHaveBegunBefore(refusal)));
    }

    /** Gives the call up; whether its outcome is unknown follows from whether a copy of it is unanswered. */
    boolean fail(String message, Throwable cause) {
        return answer.completeExceptionally(new StoreException(message, copies > 0 || call.mayHaveBeenCarriedOut(), cause));
    }
}
