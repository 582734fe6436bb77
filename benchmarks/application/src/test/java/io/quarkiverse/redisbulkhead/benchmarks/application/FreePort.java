package io.quarkiverse.redisbulkhead.benchmarks.application;

import java.io.IOException;
import java.net.ServerSocket;

/** Finds unused ports. */
final class FreePort {

    private FreePort() {
    }

    static int find() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }
}
