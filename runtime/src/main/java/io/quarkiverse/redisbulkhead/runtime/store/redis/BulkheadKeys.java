package io.quarkiverse.redisbulkhead.runtime.store.redis;

import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The keys of one bulkhead: {@code prefix:{name}:holders} and so on. The braces are a hash tag: in a cluster all keys
 * of one bulkhead lie in one slot. Braces and percent signs within a name are percent-encoded, so that no name can
 * end the tag and reach the keys of another bulkhead.
 */
public final class BulkheadKeys {

    private static final List<String> PARTS = List.of("holders", "queue", "ticket", "details", "cancelled", "waiters",
            "limits", "standby");

    private BulkheadKeys() {
    }

    /**
     * The keys in the order in which all scripts expect them.
     *
     * @param prefix what all keys start with; without braces
     * @param name the bulkhead
     */
    public static List<byte[]> of(String prefix, String name) {
        String tag = name.replace("%", "%25").replace("{", "%7B").replace("}", "%7D");
        return PARTS.stream()
                .map(part -> (prefix + ":{" + tag + "}:" + part).getBytes(StandardCharsets.UTF_8))
                .toList();
    }
}
