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
 * A complete state: the server, the clients and all messages in flight. The current time is constant; when time passes,
 * everything else moves into the past. Immutable after {@link #seal}.
 */
final class World {

    RedisModel store;
    final List<Client> clients = new ArrayList<>();
    /** Requests in flight without a waiting client; they may arrive at any time. */
    List<Request> copies = new ArrayList<>();
    List<Notice> notices = new ArrayList<>();
    /** min-hold in milliseconds; 0 if unset. */
    final long minHold;
    /** Permits with which clients have run, and their ages by the server's clock, up to min-hold. */
    final Map<String, Long> started = new TreeMap<>();
    /** The detached permit, which all clients may attach. */
    String token = "";
    /** The greatest issued token. */
    long lastGranted;
    /** The remaining number of each rare event, by ordinal. */
    private final int[] remainingEvents;
    private String storeText;
    private RedisModel sealedStore;
    private String sealedTickets;
    private String text;

    World(RedisModel store, long minHold, int[] remainingEvents) {
        this.store = store;
        this.minHold = minHold;
        this.remainingEvents = remainingEvents;
    }

    World copy() {
        World copy = new World(store, minHold, remainingEvents.clone());
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

    /** A client starts to run with its permit. */
    void started(String id) {
        PermitDetails.parse(new BulkheadView(store).records().getOrDefault(id, ""))
                .ifPresent(record -> started.put(id, BulkheadView.NOW - record.since()));
        later(0);
    }

    /** Advances the clock of the server. */
    void later(long millis) {
        started.replaceAll((id, age) -> age + millis);
        started.values().removeIf(age -> age >= minHold);
    }

    boolean mayHappen(Rare what) {
        return remainingEvents[what.ordinal()] > 0;
    }

    void happens(Rare what) {
        remainingEvents[what.ordinal()]--;
    }

    /** Whether the server and the tickets known elsewhere are unchanged since the last seal. */
    boolean isStoreSealed() {
        return store == sealedStore && tickets().equals(sealedTickets);
    }

    private String tickets() {
        return allTickets().toString();
    }

    /** All tickets known outside the server. */
    SortedSet<Long> allTickets() {
        SortedSet<Long> all = new TreeSet<>();
        copy().mapTickets(ticket -> {
            all.add(ticket);
            return ticket;
        });
        return all;
    }

    /** Changes all tickets known outside the server. */
    void mapTickets(LongUnaryOperator change) {
        LongUnaryOperator ifAny = ticket -> ticket == 0 ? 0 : change.applyAsLong(ticket);
        for (Client client : clients) {
            client.ticket = ifAny.applyAsLong(client.ticket);
            client.outbox.replaceAll(request -> request.with(ifAny.applyAsLong(request.ticket())));
            client.inbox.replaceAll(
                    inFlight -> new ReplyInFlight(inFlight.request().with(ifAny.applyAsLong(inFlight.request().ticket())),
                            inFlight.reply().with(ifAny.applyAsLong(inFlight.reply().ticket()))));
        }
        copies.replaceAll(request -> request.with(ifAny.applyAsLong(request.ticket())));
        notices.replaceAll(notice -> new Notice(notice.client(), notice.id(), notice.handedOver(),
                ifAny.applyAsLong(notice.ticket()), notice.end()));
        lastGranted = ifAny.applyAsLong(lastGranted);
    }

    /** Makes the world immutable. */
    World seal() {
        if (store != sealedStore) {
            storeText = store.toString().replace('\n', ',');
            sealedStore = store;
        }
        sealedTickets = tickets();
        text = storeText + " last " + lastGranted % 1_000_000_000 + " " + clients + " copies " + copies + " notices " + notices
                + " remaining events " + Arrays.toString(remainingEvents) + (started.isEmpty() ? "" : " started " + started)
                + (token.isEmpty() ? "" : " detached " + token);
        return this;
    }

    /** The contents of the server as text. */
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
