package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * The keys of one bulkhead: {@code prefix:{name}:holders} and so on. The braces are a hash tag: in a cluster all keys
 * of one bulkhead lie in one slot. Braces and percent signs within a name are percent-encoded, so that no name can
 * end the tag and reach the keys of another bulkhead.
 */
public final class BulkheadKeys {

    /** The keys of the data, in the order in which all scripts expect them; {@code bulkhead.lua} tells what they hold. */
    public enum Part {
        HOLDERS,
        QUEUE,
        TICKET,
        DETAILS,
        CANCELLED,
        WAITERS,
        LIMITS,
        STANDBY
    }

    private final String start;

    /**
     * The keys of a bulkhead.
     *
     * @param prefix what all keys start with; without braces
     * @param name the bulkhead
     */
    public BulkheadKeys(String prefix, String name) {
        this.start = prefix + ":{" + name.replace("%", "%25").replace("{", "%7B").replace("}", "%7D") + "}:";
    }

    /** The keys of the data in their order. */
    public List<byte[]> data() {
        return Stream.of(Part.values()).map(this::of).toList();
    }

    /** One of the keys of the data. */
    public byte[] of(Part part) {
        return bytes(part.name().toLowerCase(Locale.ROOT));
    }

    /** The key of the lock that guards the data where there are no scripts. */
    public byte[] lock() {
        return bytes("lock");
    }

    /** What all of the keys start with. */
    @Override
    public String toString() {
        return start;
    }

    private byte[] bytes(String end) {
        return (start + end).getBytes(StandardCharsets.UTF_8);
    }
}
