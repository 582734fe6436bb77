package io.quarkiverse.redisbulkhead.sample.operator;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;

import io.quarkiverse.redisbulkhead.PermitLost;

/** Keeps the last permits that this instance lost. */
@ApplicationScoped
public class LossLog {

    private static final int MOST = 100;

    private final Deque<PermitLost> losses = new ArrayDeque<>();

    // tag::observer[]
    synchronized void lost(@Observes PermitLost loss) {
        if (losses.size() == MOST) {
            losses.removeFirst();
        }
        losses.addLast(loss);
    }
    // end::observer[]

    /** The lost permits, the oldest first. */
    public synchronized List<PermitLost> losses() {
        return List.copyOf(losses);
    }
}
