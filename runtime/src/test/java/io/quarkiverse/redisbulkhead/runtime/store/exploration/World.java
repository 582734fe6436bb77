package io.quarkiverse.redisbulkhead.runtime.store.exploration;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongUnaryOperator;

import io.quarkiverse.redisbulkhead.runtime.store.exploration.redis.RedisModel;
import io.quarkiverse.redisbulkhead.runtime.store.redis.PermitDetails;

/**
 * A state of everything: the server, the clients, and what is on its way. Now is always the same instant; when time passes,
 * everything else is moved into the past. Not to be changed once {@link #seal} was called.
 */
final class World {

    RedisModel store;
    final List<Client> clients = new ArrayList<>();
    /** What was sent, but is not awaited; it may arrive at any time. */
    List<Request> copies = new ArrayList<>();
    List<Notice> notices = new ArrayList<>();
    /** How long a permit with which a client has run is taken at least, from its start; 0 for no matter. */
    final long minHold;
    /**
     * Permits with which clients have run, and how long ago they started by the clock of the server, until that is long enough.
     */
    final Map<String, Long> started = new TreeMap<>();
    /** The permit that was detached, and that all may attach. */
    String token = "";
    /** The greatest token that was granted. */
    long lastGranted;
    /** How often each of what is rare may still happen, by its ordinal. */
    private final int[] mayStillHappen;
    private String storeText;
    private RedisModel sealedStore;
    private String sealedTickets;
    private String text;

    World(RedisModel store, long minHold, int[] mayStillHappen) {
        this.store = store;
        this.minHold = minHold;
        this.mayStillHappen = mayStillHappen;
    }

    World copy() {
        World copy = new World(store, minHold, mayStillHappen.clone());
        copy.started.putAll(started);
        copy.token = token;
        clients.forEach(client -> copy.clients.add(client.copy()));
        copy.copies = new ArrayList<>(copies);
        copy.notices = new ArrayList<>(notices);
        copy.lastGranted = lastGranted;
        copy.storeText = storeText;
        copy.sealedStore = sealedStore;
        copy.sealedTickets = sealedTickets;
        return copy;
    }

    /** A client runs with a permit that it has. */
    void started(String id) {
        PermitDetails.parse(new BulkheadView(store).records().getOrDefault(id, ""))
                .ifPresent(record -> started.put(id, BulkheadView.NOW - record.since()));
        later(0);
    }

    /** Time passes by the clock of the server. */
    void later(long millis) {
        started.replaceAll((id, age) -> age + millis);
        started.values().removeIf(age -> age >= minHold);
    }

    boolean mayHappen(Rare what) {
        return mayStillHappen[what.ordinal()] > 0;
    }

    void happens(Rare what) {
        mayStillHappen[what.ordinal()]--;
    }

    /**
     * Whether the server, and the tickets that are known elsewhere, are as they were when this world was sealed, or the one
     * before.
     */
    boolean isStoreSealed() {
        return store == sealedStore && tickets().equals(sealedTickets);
    }

    private String tickets() {
        return allTickets().toString();
    }

    /** All that are known outside of the server. */
    SortedSet<Long> allTickets() {
        SortedSet<Long> all = new TreeSet<>();
        copy().mapTickets(ticket -> {
            all.add(ticket);
            return ticket;
        });
        return all;
    }

    /** Changes all tickets that are known outside of the server. */
    void mapTickets(LongUnaryOperator change) {
        LongUnaryOperator ifAny = ticket -> ticket == 0 ? 0 : change.applyAsLong(ticket);
        for (Client client : clients) {
            client.ticket = ifAny.applyAsLong(client.ticket);
            client.outbox.replaceAll(request -> request.with(ifAny.applyAsLong(request.ticket())));
            client.inbox.replaceAll(answer -> new Answer(answer.request().with(ifAny.applyAsLong(answer.request().ticket())),
                    answer.reply().with(ifAny.applyAsLong(answer.reply().ticket()))));
        }
        copies.replaceAll(request -> request.with(ifAny.applyAsLong(request.ticket())));
        notices.replaceAll(notice -> new Notice(notice.client(), notice.id(), notice.handedOver(),
                ifAny.applyAsLong(notice.ticket()), notice.end()));
        lastGranted = ifAny.applyAsLong(lastGranted);
    }

    /** The world is complete, and is not changed any more. */
    World seal() {
        if (store != sealedStore) {
            storeText = store.toString().replace('\n', ',');
            sealedStore = store;
        }
        sealedTickets = tickets();
        text = storeText + " last " + lastGranted % 1_000_000_000 + " " + clients + " copies " + copies + " notices " + notices
                + " may still happen " + Arrays.toString(mayStillHappen) + (started.isEmpty() ? "" : " started " + started)
                + (token.isEmpty() ? "" : " detached " + token);
        return this;
    }

    /** What the server has, as text. */
    String storeText() {
        return storeText;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof World world && text.equals(world.text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    @Override
    public String toString() {
        return text;
    }
}
