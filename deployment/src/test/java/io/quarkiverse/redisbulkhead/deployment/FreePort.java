package io.quarkiverse.redisbulkhead.deployment;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Finds a port for an application in dev mode, because tests need the port before the application starts. Another process
 * or build on the same machine may use the default port.
 */
public final class FreePort {

    // Below the ephemeral ports, so that no outgoing connection takes it before the application starts.
    private static final int LOWEST = 20_000;
    private static final int HIGHEST = 30_000;
    private static final int ATTEMPTS = 100;

    private FreePort() {
    }

    /** Returns a port that is free on all addresses. */
    public static int find() {
        for (int i = 0; i < ATTEMPTS; i++) {
            int port = ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST);
            if (isFree(port, null) && isFree(port, InetAddress.getLoopbackAddress())) {
                return port;
            }
        }
        throw new IllegalStateException("No free port found between " + LOWEST + " and " + HIGHEST);
    }

    private static boolean isFree(int port, InetAddress address) {
        try (ServerSocket socket = new ServerSocket(port, 1, address)) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }
}
