package io.quarkiverse.redisbulkhead.runtime;

import java.util.Optional;
import java.util.concurrent.CompletionStage;

import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.runtime.bulkhead.HeldPermit;
import io.quarkiverse.redisbulkhead.runtime.guard.BlockingWait;
import io.quarkiverse.redisbulkhead.runtime.guard.Continuations;
import io.smallrye.mutiny.Uni;

/** The public view of a permit. */
record PermitView(HeldPermit permit, Continuations continuations) implements Permit {

    @Override
    public String id() {
        return permit.id();
    }

    @Override
    public String bulkhead() {
        return permit.bulkhead();
    }

    @Override
    public Optional<String> key() {
        return permit.key();
    }

    @Override
    public long fencingToken() {
        return permit.fencingToken();
    }

    @Override
    public boolean isHeld() {
        return permit.isHeld();
    }

    @Override
    public boolean refresh() {
        BlockingWait.requireAllowed(() -> "Permit.refresh() must not be called on an event loop; use refreshAsync() there");
        return BlockingWait.reply("Permit.refresh", bulkhead(), permit.refresh());
    }

    @Override
    public Uni<Boolean> refreshAsync() {
        return continuations.answer(permit::refresh);
    }

    @Override
    public boolean release() {
        BlockingWait.requireAllowed(() -> "Permit.release() must not be called on an event loop; use releaseAsync() there");
        return BlockingWait.awaitUninterruptibly(permit.release());
    }

    @Override
    public Uni<Boolean> releaseAsync() {
        return continuations.answer(permit::release);
    }

    @Override
    public String detach() {
        BlockingWait.requireAllowed(() -> "Permit.detach() must not be called on an event loop; use detachAsync() there");
        CompletionStage<String> token = permit.detach();
        try {
            return BlockingWait.reply("Permit.detach", bulkhead(), token);
        } catch (RuntimeException e) {
            // An interrupt ends only the wait.
            takeBack(token);
            throw e;
        }
    }

    @Override
    public Uni<String> detachAsync() {
        return continuations.answer(permit::detach, token -> token, this::takeBack);
    }

    // No caller has the token.
    private void takeBack(CompletionStage<String> token) {
        token.thenAccept(unused -> permit.takeBack());
    }

    @Override
    public void close() {
        if (permit.awaitsRelease()) {
            release();
        } else {
            permit.release();
        }
    }

    @Override
    public String toString() {
        return "Permit " + permit.id() + " of bulkhead '" + permit.bulkhead() + "', fencing token " + permit.fencingToken();
    }
}
