package io.quarkiverse.redisbulkhead.deployment;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Finds a port for an application in dev mode, whose tests need to know it before the application starts. The default port may
 * be taken by a test in another process, or by another build on the same machine.
 */
public final class FreePort {

    // Below the ports that operating systems give to outgoing connections, which could take it before the application does.
    private static final int LOWEST = 20_000;
    private static final int HIGHEST = 30_000;
    private static final int ATTEMPTS = 100;

    private FreePort() {
    }

    /** A port that is free on all addresses. */
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
