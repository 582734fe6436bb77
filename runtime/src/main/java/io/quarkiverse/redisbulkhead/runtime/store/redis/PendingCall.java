package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.util.concurrent.CompletableFuture;

import io.quarkiverse.redisbulkhead.runtime.store.StoreException;
import io.vertx.core.Future;
import io.vertx.core.VertxException;
import io.vertx.redis.client.RedisConnection;

/** A call that somebody waits for, from {@link RedisLink#send} until it is answered or given up. */
final class PendingCall<T> {

    final CompletableFuture<RedisAnswer<T>> answer = new CompletableFuture<>();

    private final RedisCall<T> call;

    // All are touched on the context of the link only.
    private long silentSinceNanos;
    private int copies;
    private RedisSession sentOver;

    /**
     * @param beganNanos since when there is no sign of life
     */
    PendingCall(RedisCall<T> call, long beganNanos) {
        this.call = call;
        this.silentSinceNanos = beganNanos;
    }

    /**
     * Hands the call to a connection. From now on it may be carried out, even if no answer comes.
     *
     * @return completes when it is answered, or has failed for good; fails when Redis said no, or nothing
     */
    Future<Void> transmit(RedisSession session, RedisConnection connection) {
        copies = copies + 1;
        sentOver = session;
        return call.over(connection).compose(value -> {
            answer.complete(new RedisAnswer<>(value, copies > 1));
            return Future.succeededFuture();
        }, failure -> {
            if (isOfClient(failure)) {
                return Future.failedFuture(failure);
            }
            answer.completeExceptionally(failure instanceof StoreException ? failure : notUnderstood(failure));
            return Future.succeededFuture();
        });
    }

    // Redis's error replies come as a Throwable that is no Exception; for a lost connection the client has exceptions of its own.
    private static boolean isOfClient(Throwable failure) {
        return !(failure instanceof RuntimeException) || failure instanceof VertxException;
    }

    private StoreException notUnderstood(Throwable failure) {
        return new StoreException("What Redis holds under " + about() + "* was not understood (" + failure
                + "). If another application writes there, set quarkus.redis-bulkhead.key-prefix to a prefix that nobody else uses",
                call.mayHaveBeenCarriedOut(), failure);
    }

    /** The connection that the call was last sent over, or null when it never was. */
    RedisSession sentOver() {
        return sentOver;
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
