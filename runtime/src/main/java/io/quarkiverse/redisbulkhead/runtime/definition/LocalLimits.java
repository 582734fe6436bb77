package io.quarkiverse.redisbulkhead.runtime.definition;

import java.util.OptionalInt;

import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;
import io.quarkiverse.redisbulkhead.runtime.message.PropertyNames;

/** What processes admit for themselves during an outage must not be more than the limit. */
public final class LocalLimits {

    private LocalLimits() {
    }

    /**
     * Looks at a bulkhead with {@code on-outage=local}.
     *
     * @param name the bulkhead
     * @param permits its limit
     * @param localPermits the limit that is set for each process
     * @param instances how many processes there are
     * @param onOutage the property that says {@code local}
     * @param findings takes a limit that is of no use
     */
    public static void check(String name, int permits, OptionalInt localPermits, int instances, String onOutage,
            Findings findings) {
        String property = PropertyNames.of(name, "local-permits");
        if (localPermits.isEmpty() && permits < instances) {
            findings.add(MessageCode.RBH024, onOutage, "local gives each of " + instances + " instances ("
                    + PropertyNames.PREFIX + "instances) its share of the permits of bulkhead '" + name + "', which are only "
                    + permits + ". Each would keep one permit, together more than the limit. Set " + property
                    + " if that is what you want, set fewer instances, or use reject");
        } else if (localPermits.isPresent() && localPermits.getAsInt() > permits) {
            findings.add(MessageCode.RBH024, property,
                    "localPermits must not be more than the permits of the bulkhead, which are "
                            + permits + ", but is " + localPermits.getAsInt());
        }
    }
}
