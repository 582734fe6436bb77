package io.quarkiverse.redisbulkhead;

/**
 * How full a bulkhead is, over all applications that share it.
 *
 * @param name the bulkhead
 * @param limit the number of permits as this application defines it
 * @param inUse the number of unexpired permits in Redis; above {@code limit} where another instance has a higher one
 */
public record SemaphoreStatus(String name, int limit, int inUse) {

    /**
     * How many permits are free by this application's limit.
     *
     * @return the difference, never negative
     */
    public int free() {
        return Math.max(0, limit - inUse);
    }
}
