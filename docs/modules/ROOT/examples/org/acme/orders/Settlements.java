package org.acme.orders;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import jakarta.enterprise.context.ApplicationScoped;

import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.smallrye.mutiny.Uni;

/** Work under a lock: around an action, around a {@code Uni}, and with the permit in hand. */
@ApplicationScoped
public class Settlements {

    private final RedisBulkheads bulkheads;
    private final Map<String, Integer> bookings = new ConcurrentHashMap<>();
    private long lastToken;

    Settlements(RedisBulkheads bulkheads) {
        this.bulkheads = bulkheads;
    }

    // tag::lock[]
    public void settle(String orderId) {
        bulkheads.lock("order-" + orderId).run(() -> book(orderId));
    }

    public Uni<Void> settleLater(String orderId) {
        return bulkheads.lock("order-" + orderId).runAsync(() -> bookLater(orderId));
    }

    public boolean archive() {
        try (Permit owned = bulkheads.lock("archive").tryLock(Duration.ofSeconds(2)).orElse(null)) {
            return owned != null && copyAll(owned.fencingToken());
        }
    }
    // end::lock[]

    /** How often an order was booked. */
    public int bookings(String orderId) {
        return bookings.getOrDefault(orderId, 0);
    }

    private void book(String orderId) {
        bookings.merge(orderId, 1, Integer::sum);
    }

    private Uni<Void> bookLater(String orderId) {
        return Uni.createFrom().voidItem().invoke(() -> book(orderId));
    }

    private boolean copyAll(long token) {
        boolean later = token > lastToken;
        lastToken = token;
        return later;
    }
}
