package io.quarkiverse.redisbulkhead.runtime;

import java.lang.StackWalker.StackFrame;

/** Who calls the programmatic API, as operators see it among the holders. */
final class CallSite {

    private static final String OWN_PACKAGE = "io.quarkiverse.redisbulkhead.runtime.";

    private CallSite() {
    }

    /** The first caller outside of this package, as {@code Class#method}. */
    static String label() {
        return StackWalker.getInstance().walk(frames -> frames
                .filter(frame -> !frame.getClassName().startsWith(OWN_PACKAGE))
                .findFirst()
                .map(CallSite::label)
                .orElse(""));
    }

    private static String label(StackFrame frame) {
        String type = frame.getClassName();
        return type.substring(type.lastIndexOf('.') + 1) + "#" + frame.getMethodName();
    }
}
