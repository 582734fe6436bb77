package io.quarkiverse.redisbulkhead.runtime.dev;

import java.util.Optional;

import io.quarkiverse.redisbulkhead.runtime.dev.OperatorActions.Outcome;
import io.smallrye.mutiny.Uni;
import io.vertx.core.json.JsonObject;

/**
 * The methods that Quarkus calls for the tools of its subclass. An {@code Optional} parameter is optional in the schema of
 * a tool, but Quarkus 3.32 then looks for a public method with the type inside of it. It must be in another class than the
 * tool, which it would replace in the schema.
 */
public abstract class OptionalKeyTools {

    abstract Uni<JsonObject> holders(String bulkhead, Optional<String> key);

    abstract Uni<JsonObject> waiters(String bulkhead, Optional<String> key);

    abstract Uni<Outcome> revoke(String bulkhead, Optional<String> key, String permitId);

    abstract Uni<Outcome> resize(String bulkhead, Optional<String> key, Integer permits);

    abstract Uni<Outcome> resetSize(String bulkhead, Optional<String> key);

    /**
     * Lists holders.
     *
     * @param bulkhead the bulkhead
     * @param key null or empty without a key
     * @return as the tool
     */
    public Uni<JsonObject> holders(String bulkhead, String key) {
        return holders(bulkhead, named(key));
    }

    /**
     * Lists waiters.
     *
     * @param bulkhead the bulkhead
     * @param key null or empty without a key
     * @return as the tool
     */
    public Uni<JsonObject> waiters(String bulkhead, String key) {
        return waiters(bulkhead, named(key));
    }

    /**
     * Revokes a permit.
     *
     * @param bulkhead the bulkhead
     * @param key null or empty without a key
     * @param permitId the permit
     * @return as the tool
     */
    public Uni<Outcome> revoke(String bulkhead, String key, String permitId) {
        return revoke(bulkhead, named(key), permitId);
    }

    /**
     * Sets a limit.
     *
     * @param bulkhead the bulkhead
     * @param key null or empty without a key
     * @param permits the limit
     * @return as the tool
     */
    public Uni<Outcome> resize(String bulkhead, String key, Integer permits) {
        return resize(bulkhead, named(key), permits);
    }

    /**
     * Resets a limit.
     *
     * @param bulkhead the bulkhead
     * @param key null or empty without a key
     * @return as the tool
     */
    public Uni<Outcome> resetSize(String bulkhead, String key) {
        return resetSize(bulkhead, named(key));
    }

    // Assistants also send optional arguments.
    private static Optional<String> named(String key) {
        return Optional.ofNullable(key).filter(text -> !text.isEmpty());
    }
}
