package io.quarkiverse.redisbulkhead.runtime.semaphore;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireRequest;
import io.quarkiverse.redisbulkhead.runtime.store.Occupancy;
import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.StoreException;

/** A store that answers when the test says so. It writes down what it was asked, in order. */
class ManualStore implements PermitStore {

    final List<String> log = new ArrayList<>();
    final List<String> cancelled = new ArrayList<>();
    final Map<String, CompletableFuture<AcquireReply>> acquires = new LinkedHashMap<>();
    final Map<String, CompletableFuture<Boolean>> releases = new LinkedHashMap<>();
    boolean down;

    static StoreException lost() {
        return new StoreException("no answer", true, null);
    }

    @Override
    public CompletionStage<AcquireReply> acquire(AcquireRequest request) {
        log.add("acquire " + request.bulkhead());
        CompletableFuture<AcquireReply> reply = new CompletableFuture<>();
        acquires.put(request.bulkhead(), reply);
        return reply;
    }

    @Override
    public CompletionStage<Boolean> release(String bulkhead, String permitId) {
        log.add("release " + bulkhead);
        CompletableFuture<Boolean> reply = new CompletableFuture<>();
        releases.put(bulkhead, reply);
        return reply;
    }

    @Override
    public CompletionStage<Void> cancel(String bulkhead, List<String> permitIds, Duration forgetAfter) {
        log.add("cancel " + bulkhead + " " + permitIds.size());
        if (down) {
            return CompletableFuture.failedStage(lost());
        }
        cancelled.addAll(permitIds);
        return CompletableFuture.completedStage(null);
    }

    @Override
    public CompletionStage<Occupancy> occupancy(String bulkhead, int most) {
        return CompletableFuture.failedStage(lost());
    }
}
