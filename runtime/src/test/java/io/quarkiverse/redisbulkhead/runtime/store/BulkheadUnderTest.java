package io.quarkiverse.redisbulkhead.runtime.store;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.Waiter;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply.Granted;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply.Waiting;

/**
 * A bulkhead of the store under test. Calls block until the reply. Tests use short permit ids, which are made unique for the
 * store, so that notifications of other bulkheads are ignored.
 */
final class BulkheadUnderTest {

    static final Duration LEASE = Duration.ofMinutes(1);
    static final Duration PLACE = Duration.ofSeconds(10);

    private static final Duration ARRIVAL = Duration.ofSeconds(10);

    final String name;

    final BulkheadId self;

    private final StoreFixture stores;
    private final String suffix;

    BulkheadUnderTest(StoreFixture stores, String prefix) {
        this(stores, prefix, UUID.randomUUID().toString(), Optional.empty());
    }

    /** A bulkhead with exactly this name, or one of its keys. */
    BulkheadUnderTest(StoreFixture stores, String name, Optional<String> key) {
        this(stores, name, "", key);
    }

    private BulkheadUnderTest(StoreFixture stores, String prefix, String unique, Optional<String> key) {
        this.stores = stores;
        this.name = prefix + unique;
        this.self = new BulkheadId(name, key);
        this.suffix = "-" + UUID.randomUUID();
    }

    static <T> T get(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().get(30, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new CompletionException(e.getCause());
        } catch (InterruptedException | TimeoutException e) {
            throw new AssertionError("No reply", e);
        }
    }

    /** A request of the first process: limit 1, not fair, does not wait. */
    TestRequest request(String id) {
        return new TestRequest(this, stores.first(), id, 1, LEASE, false, Duration.ZERO, 0);
    }

    /**
     * A request that the test builds and sends.
     *
     * @param bulkhead the bulkhead
     * @param store the store of the requesting process
     * @param id the short permit id
     * @param limit the declared limit
     * @param lease its lease
     * @param fair whether it is fair
     * @param place the lifetime of its place in the queue
     * @param old the ticket of its lost place, or 0
     */
    record TestRequest(BulkheadUnderTest bulkhead, PermitStore store, String id, int limit, Duration lease, boolean fair,
            Duration place, long old) {

        TestRequest throughSecond() {
            return new TestRequest(bulkhead, bulkhead.stores.second(), id, limit, lease, fair, place, old);
        }

        TestRequest limit(int newLimit) {
            return new TestRequest(bulkhead, store, id, newLimit, lease, fair, place, old);
        }

        TestRequest lease(Duration newLease) {
            return new TestRequest(bulkhead, store, id, limit, newLease, fair, place, old);
        }

        TestRequest fair(boolean newFair) {
            return new TestRequest(bulkhead, store, id, limit, lease, newFair, place, old);
        }

        TestRequest waiting() {
            return waiting(PLACE);
        }

        TestRequest waiting(Duration newPlace) {
            return new TestRequest(bulkhead, store, id, limit, lease, fair, newPlace, old);
        }

        /** Fair, and queues again after the store lost its place. */
        TestRequest again(long oldTicket) {
            return new TestRequest(bulkhead, store, id, limit, lease, true, place, oldTicket);
        }

        AcquireRequest acquireRequest() {
            return new AcquireRequest(bulkhead.self, bulkhead.unique(id), limit, lease, fair, place, old, "app", "host:1",
                    "Type#method");
        }

        AcquireReply send() {
            return get(store.acquire(acquireRequest()));
        }

        /** Sends the request and expects a permit. */
        long ticket() {
            AcquireReply reply = send();
            if (reply instanceof Granted granted) {
                return granted.ticket();
            }
            throw new AssertionError("Expected a permit for " + id + ", not " + reply);
        }

        /** Sends the request and expects a place in the queue. */
        long place(Duration newPlace) {
            AcquireReply reply = waiting(newPlace).send();
            if (reply instanceof Waiting waiting) {
                return waiting.ticket();
            }
            throw new AssertionError("Expected a place for " + id + ", not " + reply);
        }
    }

    boolean release(String id) {
        return get(stores.first().release(self, unique(id)));
    }

    /** Releases a permit that stays taken until {@code minHold} after its start. */
    boolean release(String id, Duration minHold) {
        return get(stores.first().release(self, unique(id), minHold));
    }

    /** Revokes a permit that was released but stays taken. */
    boolean revokeReleased(String id) {
        return get(stores.first().revoke(self, PermitStore.releasedId(unique(id))));
    }

    /** The entry of a permit that was released but stays taken. */
    Holder released(String id) {
        return occupancy().holders().stream().filter(holder -> holder.permitId().equals(PermitStore.releasedId(unique(id))))
                .findFirst().orElseThrow(() -> new AssertionError(id + " does not stay"));
    }

    boolean detach(String id, Duration lease, String digest) {
        return detach(id, lease, digest, Duration.ZERO);
    }

    boolean detach(String id, Duration lease, String digest, Duration refuseFor) {
        return get(stores.first().detach(self, unique(id), lease, digest, refuseFor));
    }

    /** Attaches a permit through the second process, with a new id. */
    Optional<Attached> attach(String id, String newId, String digest) {
        return attach(stores.second(), id, newId, digest, Duration.ZERO);
    }

    Optional<Attached> attach(PermitStore store, String id, String newId, String digest, Duration mostFromStart) {
        AcquireRequest permit = new AcquireRequest(self, unique(newId), 1, LEASE, false, Duration.ZERO, "other", "host:2",
                "Worker#work");
        return get(store.attach(new AttachRequest(permit, unique(id), digest, mostFromStart)));
    }

    void cancel(Duration forgetAfter, String... ids) {
        get(stores.first().cancel(self, Stream.of(ids).map(this::unique).toList(), forgetAfter));
    }

    /** Renews the permits and returns those that are lost. */
    Set<String> renew(Duration lease, String... ids) {
        return shorten(get(stores.first().renew(self, forEach(ids, lease))));
    }

    PollReply poll(int limit, Duration place, String... ids) {
        return poll(stores.first(), limit, place, ids);
    }

    PollReply pollThroughSecond(int limit, Duration place, String... ids) {
        return poll(stores.second(), limit, place, ids);
    }

    private PollReply poll(PermitStore store, int limit, Duration place, String... ids) {
        PollReply reply = get(store.poll(self, limit, forEach(ids, place).keySet(), place));
        Map<String, HandOver> handedOver = reply.handedOver().entrySet().stream()
                .collect(Collectors.toMap(entry -> shorten(entry.getKey()), Map.Entry::getValue));
        return new PollReply(handedOver, shorten(reply.gone()), reply.free(), reply.nearestLeaseEnd(), reply.storeMillis());
    }

    /** The permits that the store lists for a process. */
    Set<String> ownPermits(PermitStore store) {
        return shorten(get(store.ownPermits(self)));
    }

    boolean revoke(String id) {
        return get(stores.first().revoke(self, unique(id)));
    }

    void resize(int limit) {
        get(stores.first().resize(self, limit));
    }

    boolean resetSize() {
        return get(stores.first().resetSize(self));
    }

    Occupancy occupancy() {
        return occupancy(PermitStore.MAX_LISTED);
    }

    Occupancy occupancy(int most) {
        return get(stores.first().occupancy(self, most));
    }

    List<String> holders() {
        return occupancy().holders().stream().map(Holder::permitId).map(this::shorten).toList();
    }

    List<String> waiters() {
        return occupancy().waiters().stream().map(Waiter::permitId).map(this::shorten).toList();
    }

    Waiter waiter(String id) {
        return occupancy().waiters().stream().filter(waiter -> waiter.permitId().equals(unique(id))).findFirst()
                .orElseThrow(() -> new AssertionError(id + " does not wait"));
    }

    Holder holder(String id) {
        return occupancy().holders().stream().filter(holder -> holder.permitId().equals(unique(id))).findFirst()
                .orElseThrow(() -> new AssertionError(id + " holds nothing"));
    }

    /** The clock of the store; reading it does not change this bulkhead. */
    long now() {
        return get(stores.first().poll(BulkheadId.of(name + "-clock"), 1, List.of("unknown"), Duration.ofSeconds(1)))
                .storeMillis();
    }

    /** Waits until the first process has received the hand-over. */
    HandOver awaitHandedOver(String id) {
        return awaitHandedOver(stores.first(), id);
    }

    HandOver awaitHandedOver(PermitStore store, String id) {
        return awaitNotice(store, Notice.HandedOver.class, notice -> notice.permitId().equals(unique(id))).handOver();
    }

    void awaitPermitFree(String id) {
        awaitNotice(stores.first(), Notice.PermitFree.class, notice -> notice.permitId().equals(unique(id)));
    }

    void awaitRevoked(String id) {
        awaitNotice(stores.first(), Notice.Revoked.class, notice -> notice.permitId().equals(unique(id)));
    }

    LimitMismatch awaitLimitMismatch(int own) {
        return await().pollDelay(Duration.ZERO).atMost(ARRIVAL).until(
                () -> limitMismatches().stream().filter(mismatch -> mismatch.own() == own).findFirst(), Optional::isPresent)
                .orElseThrow();
    }

    private <N extends Notice> N awaitNotice(PermitStore store, Class<N> type, Predicate<N> condition) {
        return await().pollDelay(Duration.ZERO).atMost(ARRIVAL).until(
                () -> stores.notices(store).stream().filter(type::isInstance).map(type::cast).filter(condition).findFirst(),
                found -> found.isPresent()).orElseThrow();
    }

    /** The waiters of both processes that were notified of a free permit. */
    Set<String> notifiedFree() {
        return ids(Notice.PermitFree.class, Notice.PermitFree::permitId);
    }

    Set<String> notifiedHandedOver() {
        return ids(Notice.HandedOver.class, Notice.HandedOver::permitId);
    }

    Set<String> notifiedRevoked() {
        return ids(Notice.Revoked.class, Notice.Revoked::permitId);
    }

    /** The limit mismatches that the first process received. */
    List<LimitMismatch> limitMismatches() {
        return stores.limitMismatches(stores.first()).stream().filter(mismatch -> mismatch.bulkhead().equals(self)).toList();
    }

    private <N extends Notice> Set<String> ids(Class<N> type, Function<N, String> id) {
        stores.settleNotices();
        return Stream.of(stores.first(), stores.second()).flatMap(store -> stores.notices(store).stream())
                .filter(type::isInstance).map(type::cast).map(id).filter(each -> each.endsWith(suffix))
                .map(this::shorten).collect(Collectors.toCollection(LinkedHashSet::new));
    }

    String unique(String id) {
        return id + suffix;
    }

    String shorten(String id) {
        return id.endsWith(suffix) ? id.substring(0, id.length() - suffix.length()) : id;
    }

    private Set<String> shorten(Set<String> ids) {
        return ids.stream().map(this::shorten).collect(Collectors.toSet());
    }

    private Map<String, Duration> forEach(String[] ids, Duration duration) {
        return Arrays.stream(ids).collect(Collectors.toMap(this::unique, id -> duration));
    }
}
