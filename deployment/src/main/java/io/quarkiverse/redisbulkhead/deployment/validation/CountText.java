package io.quarkiverse.redisbulkhead.deployment.validation;

/** Reads a value that counts something, so it is a whole number. */
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
        return parse(member, written, 1);
    }

    /** As {@link #parse}, where zero has a meaning. */
    static int parseFromZero(String member, String written) {
        return parse(member, written, 0);
    }

    private static int parse(String member, String written, int least) {
        int count;
        try {
            count = Integer.parseInt(written.trim());
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    member + " must be a whole number from " + least + " to " + Integer.MAX_VALUE + ", but is '" + written
                            + "'",
                    e);
        }
        if (count < least) {
            throw new IllegalArgumentException(member + " must be at least " + least + ", but is " + count);
        }
        return count;
    }
}
