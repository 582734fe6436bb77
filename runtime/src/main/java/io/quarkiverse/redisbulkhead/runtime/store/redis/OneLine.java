package io.quarkiverse.redisbulkhead.runtime.store.redis;

/** Text as one line, so that several texts can stand in one value, one a line. */
final class OneLine {

    private OneLine() {
    }

    /** The text with line breaks encoded. */
    static String of(String text) {
        return text.replace("%", "%25").replace("\n", "%0A");
    }

    /** The text that a line stands for. */
    static String text(String line) {
        return line.replace("%0A", "\n").replace("%25", "%");
    }
}
