package io.quarkiverse.redisbulkhead.runtime.store;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import io.quarkiverse.redisbulkhead.runtime.store.Statement.Need;

/**
 * An instance whose statements a test writes one by one. It takes over each answer; the test sets the rest before it calls
 * {@link #sync()}.
 */
final class StatedInstance {

    static final BulkheadId BULKHEAD = BulkheadId.of("b");

    final String name;
    final ShareStore store;
    final List<ShareMessage> messages = new ArrayList<>();

    long number;
    long epoch;
    long granted;
    long returned;
    long revoked;
    long lease = 30_000;
    int limit = 2;
    boolean keeps;
    boolean wantsToKeep;
    List<Need> needs = List.of();
    List<Need> immediate = List.of();
    long highestToken;
    int tokens;
    String server = "";
    long serverSince = -1;
    List<Statement.Hold> holds = List.of();
    List<Statement.Attach> attaches = List.of();
    private long lastGroup;

    /** An instance with a limit of two permits. */
    StatedInstance(String name, InMemoryShareStore server) {
        this.name = name;
        store = server.connectAsStated(name);
        store.listen(messages::add);
    }

    StatedInstance withLimit(int permits) {
        limit = permits;
        return this;
    }

    /** States the position with a new number, and adopts the answer. */
    Position sync() {
        return adopt(await(store.sync(statement(++number))));
    }

    Statement statement(long withNumber) {
        return new Statement(BULKHEAD, withNumber, epoch, granted, returned, revoked, lease, limit, keeps, wantsToKeep, needs,
                immediate, highestToken, tokens, server, serverSince, holds, attaches);
    }

    Position adopt(Position position) {
        if (position.epoch() != epoch) {
            returned = 0;
        }
        epoch = position.epoch();
        granted = position.granted();
        revoked = position.revoked();
        server = position.server();
        return position;
    }

    static <T> T await(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().get(20, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** One statement with calls that begin to wait; what is not granted is stated again from then on, with its ticket. */
    Position waitFor(int weight, int count) {
        needs = List.of(new Need(0, ++lastGroup, weight, count));
        long before = granted;
        Position position = sync();
        int served = (int) ((position.granted() - (position.epoch() == epoch ? before : 0)) / weight);
        needs = served >= count ? List.of() : List.of(new Need(position.ticket(), lastGroup, weight, count - served));
        return position;
    }

    /** One statement with calls that do not wait. */
    Position tryFor(int weight, int count) {
        immediate = List.of(new Need(0, 0, weight, count));
        Position position = sync();
        immediate = List.of();
        return position;
    }

    /** Returns permits with the next statement. */
    Position giveBack(int permits) {
        returned += permits;
        return sync();
    }

    /** Takes the messages since the last time. */
    List<ShareMessage> take() {
        List<ShareMessage> taken = List.copyOf(messages);
        messages.clear();
        return taken;
    }
}
