package io.quarkiverse.redisbulkhead.runtime.definition;

/** What the values that hold for all bulkheads must be, beside durations. */
public final class GlobalValues {

    private static final int FIRST_ERROR_STATUS = 400;
    private static final int LAST_ERROR_STATUS = 599;

    private GlobalValues() {
    }

    /**
     * Checks what the names of all keys in Redis start with.
     *
     * @param prefix the value
     * @throws IllegalArgumentException when it cannot be used
     */
    public static void checkKeyPrefix(String prefix) {
        if (prefix.isBlank() || prefix.contains("{") || prefix.contains("}")) {
            throw new IllegalArgumentException(
                    "keyPrefix must not be blank and must not contain braces, which mark the hash tag"
                            + " of Redis Cluster, but is '" + prefix + "'");
        }
    }

    /**
     * Checks the HTTP status of a rejection.
     *
     * @param status the value
     * @throws IllegalArgumentException when it is no error status
     */
    public static void checkStatus(int status) {
        if (status < FIRST_ERROR_STATUS || status > LAST_ERROR_STATUS) {
            throw new IllegalArgumentException("status must be an HTTP error status from " + FIRST_ERROR_STATUS + " to "
                    + LAST_ERROR_STATUS + ", but is " + status);
        }
    }

    /**
     * Checks how many instances of the application there are.
     *
     * @param instances the value
     * @throws IllegalArgumentException when it is below 1
     */
    public static void checkInstances(int instances) {
        if (instances < 1) {
            throw new IllegalArgumentException("instances must be at least 1, but is " + instances);
        }
    }

    /**
     * Checks how many calls may block threads of the worker pool while they wait.
     *
     * @param threads the value
     * @throws IllegalArgumentException when it is below 0
     */
    public static void checkMaxBlockedThreads(int threads) {
        if (threads < 0) {
            throw new IllegalArgumentException("maxBlockedThreads must be at least 0, but is " + threads);
        }
    }
}
