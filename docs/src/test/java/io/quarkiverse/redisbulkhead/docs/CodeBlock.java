package io.quarkiverse.redisbulkhead.docs;

import java.util.Optional;

/**
 * A block of code in a page.
 *
 * @param source where the code is from, as the comment above the block says; empty without such a comment
 * @param begin where the code begins in the page
 * @param code the code, with the end of its last line
 */
record CodeBlock(Optional<String> source, int begin, String code) {

    int end() {
        return begin + code.length();
    }

    /** Its first line, for messages. */
    @Override
    public String toString() {
        return code.strip().lines().findFirst().orElse("(empty)");
    }
}
