package io.quarkiverse.redisbulkhead.runtime.config;

/** Where permits live. */
public enum StoreKind {

    /** In Redis, kept by scripts. */
    SCRIPT,

    /** In Redis, each step under a lock; for servers that run no scripts. */
    LOCK,

    /** In this process. */
    LOCAL;

    /**
     * Whether permits live in Redis.
     *
     * @return {@code false} when the application can do without
     */
    public boolean needsRedis() {
        return this != LOCAL;
    }
}
