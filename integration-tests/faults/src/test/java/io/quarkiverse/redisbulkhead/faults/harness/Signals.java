package io.quarkiverse.redisbulkhead.faults.harness;

import java.io.IOException;

/** Signals that the JVM cannot send by itself. */
final class Signals {

    private Signals() {
    }

    static void send(long pid, String signal) {
        try {
            int exit = new ProcessBuilder("kill", "-" + signal, Long.toString(pid)).inheritIO().start().waitFor();
            if (exit != 0) {
                throw new AssertionError("kill -" + signal + " " + pid + " ended with exit code " + exit);
            }
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
