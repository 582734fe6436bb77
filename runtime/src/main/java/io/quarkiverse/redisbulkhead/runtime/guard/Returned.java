package io.quarkiverse.redisbulkhead.runtime.guard;

/** What a guarded method returned, of which the execution is yet to come. */
final class Returned {

    private Returned() {
    }

    /**
     * Refuses null. The method is not on the stack any more, so the message says what guards it.
     *
     * @param value what was returned
     * @param bulkhead the first bulkhead of the method
     * @param type what should have been returned
     * @return the value
     * @throws NullPointerException when there is none
     */
    static <T> T value(T value, String bulkhead, String type) {
        if (value == null) {
            throw new NullPointerException("A method guarded by bulkhead '" + bulkhead + "' returned null instead of a " + type
                    + ". Let it return a " + type + " that fails, or has no value");
        }
        return value;
    }
}
