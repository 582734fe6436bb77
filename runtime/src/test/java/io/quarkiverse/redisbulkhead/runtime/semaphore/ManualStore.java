package io.quarkiverse.redisbulkhead.runtime.bulkhead;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireRequest;
import io.quarkiverse.redisbulkhead.runtime.store.AttachRequest;
import io.quarkiverse.redisbulkhead.runtime.store.Attached;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadsInUse;
import io.quarkiverse.redisbulkhead.runtime.store.LimitMismatch;
import io.quarkiverse.redisbulkhead.runtime.store.Notice;
import io.quarkiverse.redisbulkhead.runtime.store.Occupancy;
import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.PollReply;
import io.quarkiverse.redisbulkhead.runtime.store.StoreAwayException;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;

/** A store whose replies the test completes. Logs the calls in order. */
class ManualStore implements PermitStore {

    final List<String> log = new ArrayList<>();
    final List<String> cancelled = new ArrayList<>();
    final List<String> released = new ArrayList<>();
    final List<Duration> minHolds = new ArrayList<>();
    final List<CompletableFuture<Set<String>>> own = new ArrayList<>();
    final Map<String, CompletableFuture<AcquireReply>> acquires = new LinkedHashMap<>();
    final Map<String, AcquireRequest> requests = new HashMap<>();
    final Map<String, CompletableFuture<Boolean>> releases = new LinkedHashMap<>();
    final List<BatchCall<Set<String>>> renewals = new ArrayList<>();
    final List<BatchCall<PollReply>> polls = new ArrayList<>();
    final List<CompletableFuture<AcquireReply>> pending = new ArrayList<>();
    final List<CompletableFuture<Boolean>> openReleases = new ArrayList<>();
    final List<Integer> polledLimits = new ArrayList<>();
    final List<String> digests = new ArrayList<>();
    final List<CompletableFuture<Boolean>> detaches = new ArrayList<>();
    final List<AttachRequest> attachRequests = new ArrayList<>();
    final List<CompletableFuture<Optional<Attached>>> attaches = new ArrayList<>();
    Supplier<PollReply> pollReply;
    Consumer<Notice> listener;
    Consumer<LimitMismatch> mismatchListener;
    boolean down;
    Runnable whenCancelled = () -> {
    };
    Runnable beforeAcquire = () -> {
    };

    /** A call for several permits, with its pending reply. */
    record BatchCall<T>(Map<String, Duration> permits, CompletableFuture<T> reply) {
    }

    static StoreException lost() {
        return new StoreException("no answer", true, null);
    }

    static StoreException away() {
        return new StoreAwayException("no answer for 1000 ms", true, null);
    }

    @Override
    public CompletionStage<AcquireReply> acquire(AcquireRequest request) {
        beforeAcquire.run();
        log.add("acquire " + request.bulkhead());
        CompletableFuture<AcquireReply> reply = new CompletableFuture<>();
        acquires.put(request.bulkhead().name(), reply);
        pending.add(reply);
        requests.put(request.bulkhead().name(), request);
        return reply;
    }

    @Override
    public CompletionStage<Boolean> release(BulkheadId bulkhead, String permitId) {
        log.add("release " + bulkhead);
        released.add(permitId);
        CompletableFuture<Boolean> reply = new CompletableFuture<>();
        releases.put(bulkhead.name(), reply);
        openReleases.add(reply);
        return reply;
    }

    @Override
    public CompletionStage<Boolean> release(BulkheadId bulkhead, String permitId, Duration minHold) {
        minHolds.add(minHold);
        return release(bulkhead, permitId);
    }

    /** Completes all pending releases. */
    void replyToReleases(boolean wasHeld) {
        List<CompletableFuture<Boolean>> open = List.copyOf(openReleases);
        openReleases.clear();
        open.forEach(reply -> reply.complete(wasHeld));
    }

    @Override
    public CompletionStage<Void> cancel(BulkheadId bulkhead, List<String> permitIds, Duration forgetAfter) {
        log.add("cancel " + bulkhead + " " + permitIds.size());
        if (down) {
            return CompletableFuture.failedStage(lost());
        }
        cancelled.addAll(permitIds);
        whenCancelled.run();
        return CompletableFuture.completedStage(null);
    }

    @Override
    public CompletionStage<Set<String>> renew(BulkheadId bulkhead, Map<String, Duration> leases) {
        log.add("renew " + bulkhead + " " + leases.size());
        BatchCall<Set<String>> call = new BatchCall<>(leases, new CompletableFuture<>());
        renewals.add(call);
        return call.reply();
    }

    @Override
    public CompletionStage<PollReply> poll(BulkheadId bulkhead, int limit, Collection<String> permitIds, Duration place) {
        log.add("poll " + bulkhead + " " + permitIds.size());
        BatchCall<PollReply> call = new BatchCall<>(permitIds.stream().collect(Collectors.toMap(id -> id, id -> place)),
                new CompletableFuture<>());
        polls.add(call);
        polledLimits.add(limit);
        if (pollReply != null) {
            call.reply().complete(pollReply.get());
        }
        return call.reply();
    }

    @Override
    public CompletionStage<Boolean> detach(BulkheadId bulkhead, String permitId, Duration lease, String digest,
            Duration refuseFor) {
        log.add("detach " + bulkhead + (refuseFor.isZero() ? "" : " for good"));
        digests.add(digest);
        CompletableFuture<Boolean> reply = new CompletableFuture<>();
        detaches.add(reply);
        return reply;
    }

    @Override
    public CompletionStage<Optional<Attached>> attach(AttachRequest request) {
        log.add("attach " + request.permit().bulkhead());
        attachRequests.add(request);
        CompletableFuture<Optional<Attached>> reply = new CompletableFuture<>();
        attaches.add(reply);
        return reply;
    }

    @Override
    public CompletionStage<Boolean> revoke(BulkheadId bulkhead, String permitId) {
        return CompletableFuture.failedStage(lost());
    }

    @Override
    public CompletionStage<Void> resize(BulkheadId bulkhead, int limit) {
        return CompletableFuture.failedStage(lost());
    }

    @Override
    public CompletionStage<Boolean> resetSize(BulkheadId bulkhead) {
        return CompletableFuture.failedStage(lost());
    }

    @Override
    public CompletionStage<Occupancy> occupancy(BulkheadId bulkhead, int most) {
        return CompletableFuture.failedStage(lost());
    }

    @Override
    public CompletionStage<Set<String>> ownPermits(BulkheadId bulkhead) {
        CompletableFuture<Set<String>> reply = new CompletableFuture<>();
        own.add(reply);
        return reply;
    }

    @Override
    public CompletionStage<BulkheadsInUse> inUse(int most) {
        throw new UnsupportedOperationException("inUse");
    }

    @Override
    public void listen(Consumer<Notice> notices, Consumer<LimitMismatch> mismatches) {
        listener = notices;
        mismatchListener = mismatches;
    }
}
