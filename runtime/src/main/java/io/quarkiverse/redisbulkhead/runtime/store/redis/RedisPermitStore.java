package io.quarkiverse.redisbulkhead.runtime.store.redis;

import static io.quarkiverse.redisbulkhead.runtime.store.redis.ScriptCall.bytes;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.quarkiverse.redisbulkhead.Holder;
import io.quarkiverse.redisbulkhead.Waiter;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireReply;
import io.quarkiverse.redisbulkhead.runtime.store.AcquireRequest;
import io.quarkiverse.redisbulkhead.runtime.store.AttachRequest;
import io.quarkiverse.redisbulkhead.runtime.store.Attached;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadId;
import io.quarkiverse.redisbulkhead.runtime.store.BulkheadsInUse;
import io.quarkiverse.redisbulkhead.runtime.store.HandOver;
import io.quarkiverse.redisbulkhead.runtime.store.LimitMismatch;
import io.quarkiverse.redisbulkhead.runtime.store.Notice;
import io.quarkiverse.redisbulkhead.runtime.store.Occupancy;
import io.quarkiverse.redisbulkhead.runtime.store.PermitStore;
import io.quarkiverse.redisbulkhead.runtime.store.PermitTerms;
import io.quarkiverse.redisbulkhead.runtime.store.PollReply;
import io.quarkiverse.redisbulkhead.runtime.store.redis.ScriptCall.Terms;
import io.vertx.redis.client.Response;

/**
 * Keeps permits in Redis; each operation is one step of a Lua script, which {@link CommandBatcher} sends together with others
 * of its bulkhead. The header of {@code bulkhead.lua}, a resource beside this class, documents the layout of the keys.
 * <p>
 * The algorithm is the fair counting semaphore of <em>Redis in Action</em>, section 6.3, with its sources of error
 * taken out: time is the server's ({@code TIME}) and not the clients', counting and adding are one atomic script, and
 * the score of a holder is the end of its lease, so that holders with different leases do not shorten one another's.
 * Unlike the book, the store also keeps waiters: a release hands the permit to the first of them in the same step.
 */
public final class RedisPermitStore implements PermitStore {

    private static final int CANCELLED = -1;

    private final RedisConnectionManager connections;
    private final NotificationSubscriber notifications;
    private final CommandBatcher batcher;
    private final UnaryOperator<LuaScript> change;
    // Null until it is used: by operators, and after a failover.
    private volatile LuaScript look;
    private volatile Consumer<LimitMismatch> mismatches = mismatch -> {
    };

    /** Caches the last encoded owner. */
    private volatile Owner lastOwner = new Owner("", "", "", "");

    private record Owner(String application, String instance, String method, String text) {
    }

    /**
     * Creates the store.
     *
     * @param connections to Redis
     * @param notifications hears what becomes of the waiters and holders of this process; opened when a call waits
     */
    public RedisPermitStore(RedisConnectionManager connections, NotificationSubscriber notifications) {
        this(connections, notifications, UnaryOperator.identity());
    }

    // Tests put a clock of their own into the scripts.
    RedisPermitStore(RedisConnectionManager connections, NotificationSubscriber notifications,
            UnaryOperator<LuaScript> change) {
        this.connections = connections;
        this.notifications = notifications;
        this.batcher = new CommandBatcher(connections, connections.keyPrefix(), notifications.name(),
                change.apply(LuaScript.of("bulkhead"))::run, this::readNotices);
        this.change = change;
    }

    @Override
    public void listen(Consumer<Notice> notices, Consumer<LimitMismatch> limitMismatches) {
        notifications.listen(notices);
        mismatches = limitMismatches;
    }

    /** What replies have for the process: differing limits, and the messages to it, which are not published. */
    private void readNotices(BulkheadId bulkhead, List<String> lines) {
        for (String text : lines) {
            if (text.startsWith("limits ")) {
                String[] words = text.split(" ");
                mismatches.accept(new LimitMismatch(bulkhead, Integer.parseInt(words[1]),
                        Stream.of(words[2].split(",")).map(Integer::valueOf).collect(Collectors.toSet())));
            } else {
                NotificationSubscriber.parse(text).forEach(notifications::notifyListener);
            }
        }
    }

    @Override
    public CompletionStage<AcquireReply> acquire(AcquireRequest request) {
        List<byte[]> words = new ArrayList<>(3);
        if (request.fair() && request.ticket() > 0) {
            words.add(bytes("queue"));
            words.add(bytes(request.ticket()));
        }
        words.add(bytes(request.permitId()));
        return batcher.send(request.bulkhead(),
                new ScriptCall<>(1, true, Terms.of(request, owner(request.terms())), words, this::acquired));
    }

    private AcquireReply acquired(List<String> answers, int index, boolean repeated) {
        String[] words = answers.get(index).split(" ");
        if (words.length == 1) {
            long token = Long.parseLong(words[0]);
            return token == CANCELLED ? new AcquireReply.Cancelled() : new AcquireReply.Granted(token, repeated);
        }
        int limit = Integer.parseInt(words[0]);
        Duration nearestLeaseEnd = Duration.ofMillis(Long.parseLong(words[1]));
        if (words.length == 2) {
            return new AcquireReply.Full(limit, nearestLeaseEnd, repeated);
        }
        notifications.open();
        return new AcquireReply.Waiting(limit, nearestLeaseEnd, Long.parseLong(words[2]), Long.parseLong(words[3]), repeated);
    }

    private String owner(PermitTerms terms) {
        Owner known = lastOwner;
        if (!known.method.equals(terms.method()) || !known.application.equals(terms.application())
                || !known.instance.equals(terms.instance())) {
            known = new Owner(terms.application(), terms.instance(), terms.method(),
                    PermitDetails.owner(notifications.name(), terms.application(), terms.instance(), terms.method()));
            lastOwner = known;
        }
        return known.text;
    }

    @Override
    public CompletionStage<Boolean> release(BulkheadId bulkhead, String permitId, Duration minHold) {
        return batcher.send(bulkhead, minHold.isZero()
                ? changing(false, bytes("release"), bytes(permitId))
                : changing(false, bytes("release after"), bytes(minHold.toMillis()), bytes(permitId)));
    }

    /** A call whose result is whether it changed something; yes, when it may have been carried out before. */
    private static ScriptCall<Boolean> changing(boolean awaited, byte[]... words) {
        return new ScriptCall<>(1, awaited, null, List.of(words),
                (answers, index, repeated) -> isOne(answers, index) || repeated);
    }

    private static boolean isOne(List<String> answers, int index) {
        return Integer.parseInt(answers.get(index)) == 1;
    }

    @Override
    public CompletionStage<Void> cancel(BulkheadId bulkhead, List<String> permitIds, Duration forgetAfter) {
        List<byte[]> words = new ArrayList<>(3 + permitIds.size());
        words.add(bytes("cancel"));
        words.add(bytes(Math.max(1, forgetAfter.toMillis())));
        words.add(bytes(permitIds.size()));
        permitIds.forEach(id -> words.add(bytes(id)));
        return batcher.send(bulkhead,
                new ScriptCall<>(permitIds.size(), false, null, words, (answers, index, repeated) -> (Void) null));
    }

    @Override
    public CompletionStage<Set<String>> renew(BulkheadId bulkhead, Map<String, Duration> leases) {
        // A permit that is held for so long may be revoked.
        notifications.open();
        List<String> ids = List.copyOf(leases.keySet());
        List<byte[]> words = new ArrayList<>(3 * ids.size());
        for (String id : ids) {
            words.add(bytes("renew"));
            words.add(bytes(id));
            words.add(bytes(Math.max(1, leases.get(id).toMillis())));
        }
        return batcher.send(bulkhead, new ScriptCall<>(ids.size(), true, null, words, (answers, index, repeated) -> {
            Set<String> lost = new HashSet<>();
            for (int i = 0; i < ids.size(); i++) {
                if (!isOne(answers, index + i)) {
                    lost.add(ids.get(i));
                }
            }
            return lost;
        }));
    }

    @Override
    public CompletionStage<PollReply> poll(BulkheadId bulkhead, int limit, Collection<String> permitIds, Duration place) {
        notifications.check(false);
        List<byte[]> words = new ArrayList<>(4 + permitIds.size());
        words.add(bytes("poll"));
        words.add(bytes(Math.max(1, place.toMillis())));
        words.add(bytes(limit));
        words.add(bytes(permitIds.size()));
        permitIds.forEach(id -> words.add(bytes(id)));
        return batcher.sendAlone(bulkhead, new ScriptCall<>(1, true, null, words, this::polled));
    }

    private PollReply polled(List<String> answers, int index, boolean repeated) {
        String[] words = answers.get(index).split(" ");
        int next = 4;
        Map<String, HandOver> handedOver = new HashMap<>();
        for (int left = Integer.parseInt(words[3]); left > 0; left--, next += 3) {
            handedOver.put(words[next], new HandOver(Long.parseLong(words[next + 1]), Long.parseLong(words[next + 2])));
        }
        if (!handedOver.isEmpty()) {
            // The messages about these hand-overs may have been lost.
            notifications.check(true);
        }
        Set<String> gone = new HashSet<>(Arrays.asList(words).subList(next, words.length));
        return new PollReply(handedOver, gone, Integer.parseInt(words[1]), Duration.ofMillis(Long.parseLong(words[2])),
                Long.parseLong(words[0]));
    }

    @Override
    public CompletionStage<Boolean> detach(BulkheadId bulkhead, String permitId, Duration lease, String digest,
            Duration refuseFor) {
        return batcher.send(bulkhead, new ScriptCall<>(1, true, null, List.of(bytes("detach"), bytes(permitId),
                bytes(Math.max(1, lease.toMillis())), bytes(digest), bytes(refuseFor.toMillis())),
                (answers, index, repeated) -> isOne(answers, index)));
    }

    @Override
    public CompletionStage<Optional<Attached>> attach(AttachRequest request) {
        notifications.open();
        AcquireRequest permit = request.permit();
        return batcher.send(permit.bulkhead(), new ScriptCall<>(1, true, null,
                List.of(bytes("attach"), bytes(permit.permitId()), bytes(request.detachedId()), bytes(request.digest()),
                        bytes(permit.lease().toMillis()), bytes(request.mostFromStart().toMillis()),
                        bytes(Terms.of(permit, owner(permit.terms())).tail())),
                RedisPermitStore::attached));
    }

    private static Optional<Attached> attached(List<String> answers, int index, boolean repeated) {
        String[] words = answers.get(index).split(" ");
        return words.length == 1 ? Optional.empty()
                : Optional.of(new Attached(Long.parseLong(words[0]), Duration.ofMillis(Long.parseLong(words[1]))));
    }

    @Override
    public CompletionStage<Boolean> revoke(BulkheadId bulkhead, String permitId) {
        return batcher.sendAlone(bulkhead, changing(true, bytes("revoke"), bytes(permitId)));
    }

    @Override
    public CompletionStage<Void> resize(BulkheadId bulkhead, int limit) {
        return batcher.sendAlone(bulkhead, changing(true, bytes("resize"), bytes(limit))).thenApply(was -> null);
    }

    @Override
    public CompletionStage<Boolean> resetSize(BulkheadId bulkhead) {
        return batcher.sendAlone(bulkhead, changing(true, bytes("resize"), bytes(0)));
    }

    @Override
    public CompletionStage<Occupancy> occupancy(BulkheadId bulkhead, int most) {
        return look(bulkhead, bytes("occupancy"), bytes(most)).thenApply(reply -> occupancy(bulkhead, reply));
    }

    private static Occupancy occupancy(BulkheadId bulkhead, Response reply) {
        int resized = reply.get(2).toInteger();
        List<Holder> holders = new ArrayList<>();
        reply.get(5).forEach(row -> holders.add(recordOf(row).holder(bulkhead, row.get(0).toString(), row.get(1).toLong())));
        List<Waiter> waiters = new ArrayList<>();
        reply.get(6).forEach(row -> waiters.add(recordOf(row).waiter(bulkhead, row.get(0).toString(), row.get(1).toLong())));
        // Those in the queue come first and in order; the others in the order of their turns.
        waiters.sort(PermitDetails.waitersInOrder());
        SortedSet<Integer> declared = new TreeSet<>();
        Matcher pairs = Pattern.compile(" (\\d+):(\\d+)").matcher(reply.get(3).toString());
        while (pairs.find()) {
            if (reply.get(4).toLong() - Long.parseLong(pairs.group(2)) < LIMIT_REMEMBERED.toMillis()) {
                declared.add(Integer.valueOf(pairs.group(1)));
            }
        }
        return new Occupancy(reply.get(0).toInteger(), 0, reply.get(1).toInteger(),
                resized == 0 ? OptionalInt.empty() : OptionalInt.of(resized), declared, List.copyOf(holders),
                List.copyOf(waiters));
    }

    private static PermitDetails recordOf(Response row) {
        return PermitDetails.parse(row.get(2).toString()).orElse(PermitDetails.NOTHING);
    }

    @Override
    public CompletionStage<Set<String>> ownPermits(BulkheadId bulkhead) {
        return ownPermits(bulkhead, 0, new HashSet<>());
    }

    // In steps, so that the calls of others go in between.
    private CompletionStage<Set<String>> ownPermits(BulkheadId bulkhead, int lookedAt, Set<String> found) {
        return look(bulkhead, bytes("own"), bytes(notifications.name()), bytes(lookedAt), bytes(HOLDERS_PER_STEP))
                .thenCompose(reply -> {
                    for (int i = 1; i < reply.size(); i++) {
                        found.add(reply.get(i).toString());
                    }
                    return reply.get(0).toInteger() < HOLDERS_PER_STEP ? CompletableFuture.completedStage(found)
                            : ownPermits(bulkhead, lookedAt + HOLDERS_PER_STEP, found);
                });
    }

    // Threads that race read the same script.
    private LuaScript lookScript() {
        LuaScript script = look;
        if (script == null) {
            script = change.apply(LuaScript.of("look"));
            look = script;
        }
        return script;
    }

    private CompletionStage<Response> look(BulkheadId bulkhead, byte[]... args) {
        BulkheadKeys keys = new BulkheadKeys(connections.keyPrefix(), bulkhead);
        LuaScript script = lookScript();
        return connections.send(RedisCall.of(keys.shown() + "*", keys.start(),
                connection -> script.run(keys, List.of(args), connection)));
    }

    @Override
    public CompletionStage<BulkheadsInUse> inUse(int most) {
        return new BulkheadScan(connections).inUse(most);
    }
}
