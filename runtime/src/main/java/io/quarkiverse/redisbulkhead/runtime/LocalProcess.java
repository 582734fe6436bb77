package io.quarkiverse.redisbulkhead.runtime;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** Which process this is, as operators see it. */
final class LocalProcess {

    private LocalProcess() {
    }

    /** Host and process id, as {@code host:pid}. In a container the host is the container's name. */
    static String hostAndPid() {
        return host() + ":" + ProcessHandle.current().pid();
    }

    private static String host() {
        String name = System.getenv("HOSTNAME");
        if (name != null && !name.isBlank()) {
            return name;
        }
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            // A machine whose own name has no address: common, and no reason to fail.
            return "localhost";
        }
    }
}
