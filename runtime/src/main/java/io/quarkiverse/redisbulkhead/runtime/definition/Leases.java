package io.quarkiverse.redisbulkhead.runtime.definition;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;
import io.quarkiverse.redisbulkhead.runtime.message.PropertyNames;

/** A lease must be long enough for Redis to answer before it ends, and for the minimum hold. */
public final class Leases {

    // Applications without locks have this lease too, so nothing is wrong with it where nobody has set it.
    private static final String OF_LOCKS = PropertyNames.PREFIX + "lock.lock-timeout";
    private static final Duration DEFAULT_OF_LOCKS = Duration.ofSeconds(30);

    private static final int RENEWALS = 3;

    private final Duration commandTimeout;
    private final Findings findings;

    /**
     * Makes the check.
     *
     * @param commandTimeout how long a call waits for an answer from Redis; empty when nothing is to be checked
     * @param findings takes leases that are too short
     */
    public Leases(Optional<Duration> commandTimeout, Findings findings) {
        this.commandTimeout = commandTimeout.orElse(Duration.ZERO);
        this.findings = findings;
    }

    /**
     * Looks at the lease that the annotations state.
     *
     * @param name the bulkhead
     * @param definitions what the annotations say
     */
    public void checkWritten(String name, Definitions definitions) {
        definitions.expire(name).ifPresent(lease -> check(String.join(", ", definitions.places(name)),
                Texts.annotation(name) + ": expire", lease));
    }

    /**
     * Looks at the lease that the configuration sets.
     *
     * @param property the name of the property
     * @param lease its value
     */
    public void checkConfigured(String property, Duration lease) {
        if (property.equals(OF_LOCKS) && lease.equals(DEFAULT_OF_LOCKS)) {
            return;
        }
        check(property, property.substring(property.lastIndexOf('.') + 1), lease);
    }

    /**
     * Looks at a minimum hold. It must not be longer than the lease, or a process that dies would free its permit earlier.
     *
     * @param property the name of the property
     * @param definition builds what has this minimum hold
     * @param findings takes one that is too long
     */
    public static void checkMinHold(String property, Supplier<?> definition, Findings findings) {
        try {
            definition.get();
        } catch (IllegalArgumentException e) {
            findings.add(MessageCode.RBH031, property, e.getMessage());
        }
    }

    private void check(String place, String member, Duration lease) {
        if (lease.dividedBy(RENEWALS).compareTo(commandTimeout) < 0) {
            findings.add(MessageCode.RBH023, place, member + " is " + lease + ", shorter than three times "
                    + PropertyNames.PREFIX + "command-timeout, which is " + commandTimeout
                    + ". A lease is renewed every third of"
                    + " it, so one slow answer could cost the permit. Make it at least "
                    + commandTimeout.multipliedBy(RENEWALS) + ", or command-timeout shorter");
        }
    }
}
