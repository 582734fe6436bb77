package io.quarkiverse.redisbulkhead.runtime.store.exploration;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

import io.quarkiverse.redisbulkhead.runtime.bulkhead.LeaseClockModel;

/** A client in a {@link World}. It makes one call at a time, on one connection, which keeps the order. */
final class Client {

    static final long NONE = -1;

    final int number;
    final Role role;
    Phase phase = Phase.IDLE;
    int calls;
    /** The permit id of the current call, or empty. */
    String id = "";
    /** Its current or former ticket in the queue, or 0. */
    long ticket;
    LeaseClockModel clock;
    /** The remaining lease by the client's clock. */
    long leaseLeft;
    boolean copyMayFollow;
    /** Whether it has run with the permit, if min-hold is set. */
    boolean ran;
    boolean lastRequest;
    /** Age of the poll, or renewal, in flight. */
    long polledAgo = NONE;
    long renewedAgo = NONE;
    List<Request> outbox = new ArrayList<>();
    List<ReplyInFlight> inbox = new ArrayList<>();

    Client(int number, Role role, int calls) {
        this.number = number;
        this.role = role;
        this.calls = calls;
    }

    Client copy() {
        Client copy = new Client(number, role, calls);
        copy.phase = phase;
        copy.id = id;
        copy.ticket = ticket;
        copy.clock = clock;
        copy.leaseLeft = leaseLeft;
        copy.copyMayFollow = copyMayFollow;
        copy.ran = ran;
        copy.lastRequest = lastRequest;
        copy.polledAgo = polledAgo;
        copy.renewedAgo = renewedAgo;
        copy.outbox = new ArrayList<>(outbox);
        copy.inbox = new ArrayList<>(inbox);
        return copy;
    }

    /** The number of the client that owns the permit. */
    static int owner(String id) {
        return id.charAt(id.lastIndexOf('*') + 1) - 'a';
    }

    String name() {
        return String.valueOf((char) ('A' + number));
    }

    /** The result of {@code Permit.isHeld()}. */
    boolean isHeld() {
        return phase == Phase.HOLDING && leaseLeft > 0;
    }

    void send(Operation operation, long place) {
        outbox.add(Request.of(this, operation, place));
    }

    /** Ends the call. */
    void rest() {
        phase = Phase.IDLE;
        id = "";
        ticket = 0;
        clock = null;
        leaseLeft = 0;
        copyMayFollow = false;
        ran = false;
        lastRequest = false;
        polledAgo = NONE;
        renewedAgo = NONE;
        inbox.clear();
    }

    /** Stops waiting for replies to these requests; returns those that may still arrive. */
    List<Request> abandon(Predicate<Request> which) {
        List<Request> inTransit = outbox.stream().filter(which).toList();
        outbox.removeAll(inTransit);
        inbox.removeIf(inFlight -> which.test(inFlight.request()));
        return inTransit;
    }

    /**
     * The connection breaks; all requests without a reply are repeated. Returns those that may still arrive on the old
     * connection.
     */
    List<Request> reconnect() {
        List<Request> inTransit = List.copyOf(outbox);
        List<Request> again = new ArrayList<>();
        inbox.forEach(inFlight -> again.add(inFlight.request().sentAgain()));
        outbox.forEach(request -> again.add(request.sentAgain()));
        outbox = again;
        inbox.clear();
        return inTransit;
    }

    /** Advances the time. Ages above a lease are equivalent. */
    void later(long here, long there, long lease) {
        leaseLeft = Math.max(0, leaseLeft - here);
        inbox.replaceAll(inFlight -> new ReplyInFlight(inFlight.request(), inFlight.reply().later(there, there)));
        if (clock != null) {
            long before = clock.askedAgo();
            clock = clock.later(here, there, lease);
            forget(Operation.ACQUIRE, before + here - clock.askedAgo());
        }
        if (polledAgo != NONE) {
            long before = polledAgo;
            polledAgo = Math.min(lease, polledAgo + here);
            forget(Operation.POLL, before + here - polledAgo);
        }
        if (renewedAgo != NONE) {
            renewedAgo = Math.min(lease, renewedAgo + here);
        }
    }

    private void forget(Operation operation, long millis) {
        inbox.replaceAll(inFlight -> inFlight.request().operation() == operation
                ? new ReplyInFlight(inFlight.request(), inFlight.reply().later(0, -millis))
                : inFlight);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(name()).append(' ').append(phase).append(' ').append(calls);
        if (phase != Phase.IDLE && phase != Phase.DEAD) {
            text.append(' ').append(id).append(copyMayFollow ? " copies" : "").append(ran ? " ran" : "")
                    .append(lastRequest ? " last request" : "");
            text.append(
                    phase == Phase.REQUESTING || phase == Phase.ATTACHING || phase == Phase.WAITING ? " clock " + clock : "");
            text.append(phase == Phase.HOLDING ? " lease " + leaseLeft : "");
            text.append(ticket == 0 ? "" : " ticket " + ticket % 1_000_000_000);
            text.append(polledAgo == NONE ? "" : " polled " + polledAgo)
                    .append(renewedAgo == NONE ? "" : " renewed " + renewedAgo);
        }
        return text.append(outbox.isEmpty() ? "" : " >" + outbox).append(inbox.isEmpty() ? "" : " <" + inbox).toString();
    }
}
