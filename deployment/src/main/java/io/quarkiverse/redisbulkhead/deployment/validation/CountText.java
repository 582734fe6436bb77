package io.quarkiverse.redisbulkhead.deployment.validation;

/** Reads a value that counts something, so it is a whole number from 1. */
final class CountText {

    private CountText() {
    }

    /**
     * Reads and checks a value.
     *
     * @param member what it is set for
     * @param written the value, not yet checked
     * @return at least 1
     * @throws IllegalArgumentException when it is no such number
     */
    static int parse(String member, String written) {
        int count;
        try {
            count = Integer.parseInt(written.trim());
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    member + " must be a whole number from 1 to " + Integer.MAX_VALUE + ", but is '" + written + "'", e);
        }
        if (count < 1) {
            throw new IllegalArgumentException(member + " must be at least 1, but is " + count);
        }
        return count;
    }
}
