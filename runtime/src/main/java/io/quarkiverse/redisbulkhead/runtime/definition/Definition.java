package io.quarkiverse.redisbulkhead.runtime.definition;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

import org.eclipse.microprofile.config.Config;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;

/** What one annotation says by the configuration, checked or not. */
public final class Definition {

    private final BulkheadDeclaration declaration;
    private final MemberText name;
    private final MemberText expire;
    private final MemberText maxWait;
    private final Optional<Duration> lease;
    private final Optional<Duration> wait;

    Definition(BulkheadDeclaration declaration, Config config) {
        this.declaration = declaration;
        this.name = MemberText.of("name", declaration.name(), config);
        this.expire = MemberText.of("expire", declaration.expire(), config);
        this.maxWait = MemberText.of("maxWait", declaration.maxWait(), config);
        this.lease = DurationText.EXPIRE.valueOf(expire);
        this.wait = DurationText.MAX_WAIT.valueOf(maxWait);
    }

    BulkheadDeclaration declaration() {
        return declaration;
    }

    MemberText nameText() {
        return name;
    }

    MemberText expireText() {
        return expire;
    }

    MemberText maxWaitText() {
        return maxWait;
    }

    /** The name; empty when it is not known, or not valid. */
    Optional<String> name() {
        Optional<String> text = name.text();
        return text.isPresent() && isName(text.get()) ? text : Optional.empty();
    }

    private static boolean isName(String text) {
        try {
            SemaphoreSpec.named(text);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /**
     * Where it is written.
     *
     * @return the class or method
     */
    public String location() {
        return declaration.location();
    }

    /**
     * The limit.
     *
     * @return empty when the annotation does not state it, or the value is not valid
     */
    public OptionalInt permits() {
        try {
            return declaration.statesPermits()
                    ? OptionalInt.of(SemaphoreSpec.named("any").permits(declaration.permits()).build().permits())
                    : OptionalInt.empty();
        } catch (IllegalArgumentException e) {
            return OptionalInt.empty();
        }
    }

    /**
     * How much of the limit a call takes here.
     *
     * @return empty when it is not valid
     */
    public OptionalInt weight() {
        int weight = declaration.weight();
        return weight < 1 || weight > SemaphoreSpec.MAX_WEIGHT ? OptionalInt.empty() : OptionalInt.of(weight);
    }

    /**
     * The order.
     *
     * @return whether permits go to callers in the order of their requests
     */
    public boolean fair() {
        return declaration.fair();
    }

    /**
     * The lease.
     *
     * @return empty when it is not known, or not valid
     */
    public Optional<Duration> expire() {
        return lease;
    }

    /**
     * How long a call waits for a permit.
     *
     * @return empty when it is not known, or not valid
     */
    public Optional<Duration> maxWait() {
        return wait;
    }

    /**
     * Whether this place states a weight.
     *
     * @return {@code false} when it is the default
     */
    public boolean statesWeight() {
        return declaration.weight() != 1;
    }

    /**
     * Whether this place states a lease of its own.
     *
     * @return {@code false} when it is the default
     */
    public boolean statesExpire() {
        return !declaration.expire().equals(RedisBulkhead.DEFAULT_EXPIRE);
    }

    /**
     * Whether this place states how long to wait.
     *
     * @return {@code false} when it is the default
     */
    public boolean statesMaxWait() {
        return !declaration.maxWait().equals(RedisBulkhead.DEFAULT_MAX_WAIT);
    }

    /** The annotation as people write it, with the name as it is written. */
    String annotation() {
        return Texts.annotation(declaration.name());
    }
}
