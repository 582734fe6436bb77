package io.quarkiverse.redisbulkhead.runtime.store.exploration;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

import io.quarkiverse.redisbulkhead.runtime.semaphore.LeaseClockModel;

/** One client, as a part of a {@link World}. It makes one call at a time, and has one connection, which keeps the order. */
final class Client {

    static final long NONE = -1;

    final int number;
    final Role role;
    Phase phase = Phase.IDLE;
    int calls;
    /** The permit that the present call is about, or nothing. */
    String id = "";
    /** The one that it has, or had, in the queue; or 0. */
    long ticket;
    LeaseClockModel clock;
    /** For how long the lease counts, by the client's clock. */
    long leaseLeft;
    boolean copyMayFollow;
    /** Whether it has run with the permit, where there is a minimum hold. */
    boolean ran;
    boolean lastLook;
    /** How long ago a poll, or a renewal, was sent that has no answer yet. */
    long polledAgo = NONE;
    long renewedAgo = NONE;
    List<Request> outbox = new ArrayList<>();
    List<Answer> inbox = new ArrayList<>();

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
        copy.lastLook = lastLook;
        copy.polledAgo = polledAgo;
        copy.renewedAgo = renewedAgo;
        copy.outbox = new ArrayList<>(outbox);
        copy.inbox = new ArrayList<>(inbox);
        return copy;
    }

    /** The number of the client whose permit that is. */
    static int owner(String id) {
        return id.charAt(id.lastIndexOf('*') + 1) - 'a';
    }

    String name() {
        return String.valueOf((char) ('A' + number));
    }

    /** What {@code Permit.isHeld()} says. */
    boolean believesToHold() {
        return phase == Phase.HOLDING && leaseLeft > 0;
    }

    void send(Operation operation, long place) {
        outbox.add(Request.of(this, operation, place));
    }

    /** The call is over. */
    void rest() {
        phase = Phase.IDLE;
        id = "";
        ticket = 0;
        clock = null;
        leaseLeft = 0;
        copyMayFollow = false;
        ran = false;
        lastLook = false;
        polledAgo = NONE;
        renewedAgo = NONE;
        inbox.clear();
    }

    /** Does not wait for these answers any more; tells which of the requests may still arrive. */
    List<Request> abandon(Predicate<Request> which) {
        List<Request> onTheirWay = outbox.stream().filter(which).toList();
        outbox.removeAll(onTheirWay);
        inbox.removeIf(answer -> which.test(answer.request()));
        return onTheirWay;
    }

    /** Its connection breaks; all that has no answer is sent again. Tells what may still arrive over the old one. */
    List<Request> reconnect() {
        List<Request> onTheirWay = List.copyOf(outbox);
        List<Request> again = new ArrayList<>();
        inbox.forEach(answer -> again.add(answer.request().sentAgain()));
        outbox.forEach(request -> again.add(request.sentAgain()));
        outbox = again;
        inbox.clear();
        return onTheirWay;
    }

    /** Time passes. What is longer ago than a lease is the same as if it were just that long ago. */
    void later(long here, long there, long lease) {
        leaseLeft = Math.max(0, leaseLeft - here);
        inbox.replaceAll(answer -> new Answer(answer.request(), answer.reply().later(there, there)));
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
        inbox.replaceAll(answer -> answer.request().operation() == operation
                ? new Answer(answer.request(), answer.reply().later(0, -millis))
                : answer);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(name()).append(' ').append(phase).append(' ').append(calls);
        if (phase != Phase.IDLE && phase != Phase.DEAD) {
            text.append(' ').append(id).append(copyMayFollow ? " copies" : "").append(ran ? " ran" : "")
                    .append(lastLook ? " last look" : "");
            text.append(
                    phase == Phase.ASKING || phase == Phase.ATTACHING || phase == Phase.WAITING ? " reckons " + clock : "");
            text.append(phase == Phase.HOLDING ? " lease " + leaseLeft : "");
            text.append(ticket == 0 ? "" : " ticket " + ticket % 1_000_000_000);
            text.append(polledAgo == NONE ? "" : " polled " + polledAgo)
                    .append(renewedAgo == NONE ? "" : " renewed " + renewedAgo);
        }
        return text.append(outbox.isEmpty() ? "" : " >" + outbox).append(inbox.isEmpty() ? "" : " <" + inbox).toString();
    }
}
