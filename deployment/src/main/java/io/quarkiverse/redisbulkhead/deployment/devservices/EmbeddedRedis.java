package io.quarkiverse.redisbulkhead.deployment.devservices;

import static redis.embedded.core.ExecutableProvider.newExecutableInPath;
import static redis.embedded.core.ExecutableProvider.newJarResourceProvider;
import static redis.embedded.core.ExecutableProvider.newProvidedVersionsMap;

import java.io.BufferedReader;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.quarkus.deployment.builditem.Startable;
import io.quarkus.deployment.util.FileUtil;
import redis.embedded.Redis;
import redis.embedded.error.OsArchitectureNotFound;
import redis.embedded.error.UnknownOSName;
import redis.embedded.model.OsArchitecture;

/**
 * A Redis server as a child process: on a free loopback port, without persistence, with a temporary folder that is deleted
 * on close.
 * <p>
 * The embedded-redis library brings the executables. This class runs the process itself, because the library registers
 * a shutdown hook for every start, never removes it, and so keeps the class loader of every past build in memory.
 */
public final class EmbeddedRedis implements Startable {

    private static final String HOST = "127.0.0.1";

    /** How long a server may take to be ready. */
    static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Path parent;
    private final Duration patience;
    private final List<Executable> executables;

    private Path directory;
    private Thread shutdownHook;
    private Process process;
    private int port;

    /**
     * A server that keeps its files in the temporary directory.
     *
     * @param executable what to run, by default the bundled executable
     */
    public EmbeddedRedis(Optional<String> executable) {
        this(Path.of(System.getProperty("java.io.tmpdir")),
                executable.<Executable> map(path -> directory -> Path.of(path).toAbsolutePath()).map(List::of)
                        .orElseGet(Executable::inOrderOfPreference),
                PATIENCE);
    }

    EmbeddedRedis(Path parent, List<Executable> executables, Duration patience) {
        this.parent = parent;
        this.patience = patience;
        this.executables = executables;
    }

    /**
     * Starts the server and returns when it accepts connections. Does nothing if it runs already.
     *
     * @throws IllegalStateException if no Redis can be run on this platform; the message says why, and what to do
     */
    @Override
    public synchronized void start() {
        if (process != null) {
            return;
        }
        try {
            directory = Files.createTempDirectory(parent, "redis-bulkhead-");
        } catch (IOException e) {
            throw new UncheckedIOException("The embedded Redis could not create its folder in " + parent, e);
        }
        shutdownHook = new Thread(this::close, "redis-bulkhead-embedded-redis-close");
        Runtime.getRuntime().addShutdownHook(shutdownHook);
        try {
            launch();
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /** Whether the server was started and has neither been closed nor died. */
    synchronized boolean isRunning() {
        return process != null && process.isAlive();
    }

    /** The address as {@code host:port}. */
    @Override
    public synchronized String getConnectionInfo() {
        return HOST + ":" + port;
    }

    /** Always {@code null}: there is no container. */
    @Override
    public String getContainerId() {
        return null;
    }

    /** Stops the server and deletes its folder. Does nothing if it does not run. */
    @Override
    public synchronized void close() {
        if (directory == null) {
            return;
        }
        if (process != null) {
            end(process);
            process = null;
        }
        deleteDirectory();
        try {
            Runtime.getRuntime().removeShutdownHook(shutdownHook);
        } catch (IllegalStateException e) {
            // The JVM is shutting down: this thread is the hook, or the hook waits for the lock and will find nothing to do.
        }
    }

    private void launch() {
        StringJoiner reasons = new StringJoiner("; ");
        for (Executable executable : executables) {
            try {
                launch(executable.find(directory));
                return;
            } catch (IOException e) {
                reasons.add(e.getMessage());
            }
        }
        throw new IllegalStateException("Cannot run an embedded Redis on " + System.getProperty("os.name") + "/"
                + System.getProperty("os.arch") + ". Set quarkus.redis.hosts to the address of a Redis, start a "
                + "container runtime such as Docker or Podman, put redis-server on the PATH, or set "
                + "quarkus.redis-bulkhead.devservices.executable. Tried: " + reasons);
    }

    private void launch(Path executable) throws IOException {
        int freePort = findFreePort();
        Process started = new ProcessBuilder(executable.toString(),
                "--port", Integer.toString(freePort),
                "--bind", HOST,
                "--dir", directory.toString(),
                "--save", "",
                "--appendonly", "no",
                "--daemonize", "no",
                "--logfile", "")
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .start();
        // A program that is not Redis may neither end nor say that it is ready.
        CompletableFuture<Void> tooLong = CompletableFuture.runAsync(() -> end(started),
                CompletableFuture.delayedExecutor(patience.toMillis(), TimeUnit.MILLISECONDS));
        try {
            awaitReady(started, executable);
        } catch (IOException e) {
            end(started);
            throw e;
        } finally {
            tooLong.cancel(false);
        }
        process = started;
        port = freePort;
    }

    // There is no data to save, so it need not shut down gracefully. The executable may be a script that runs it.
    private static void end(Process started) {
        List<ProcessHandle> children = started.descendants().toList();
        started.destroyForcibly().onExit().join();
        children.forEach(ProcessHandle::destroyForcibly);
    }

    /** Reads the output up to the line that says that the server is ready. Later output is ignored. */
    private static void awaitReady(Process started, Path executable) throws IOException {
        StringJoiner output = new StringJoiner(" | ");
        try (BufferedReader lines = started.inputReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (Redis.SERVER_READY_PATTERN.matcher(line).matches()) {
                    return;
                }
                output.add(line);
            }
        }
        throw new IOException(executable + " did not become ready: " + output);
    }

    private static int findFreePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName(HOST))) {
            return socket.getLocalPort();
        }
    }

    private void deleteDirectory() {
        try {
            FileUtil.deleteDirectory(directory);
        } catch (IOException e) {
            throw new UncheckedIOException("The folder of the embedded Redis could not be deleted: " + directory, e);
        } finally {
            directory = null;
        }
    }

    /** A source of the executable of a Redis server. */
    @FunctionalInterface
    interface Executable {

        /**
         * Finds the executable.
         *
         * @param directory where the executable may be written to
         * @throws IOException if this place has none for this platform
         */
        Path find(Path directory) throws IOException;

        /** The places, in the order in which to try them: the bundled executable, then {@code redis-server} on the PATH. */
        static List<Executable> inOrderOfPreference() {
            return List.of(Executable::bundled,
                    directory -> newExecutableInPath("redis-server").get().toPath());
        }

        private static Path bundled(Path directory) throws IOException {
            try {
                var executables = newProvidedVersionsMap();
                if (!executables.containsKey(OsArchitecture.detectOSandArchitecture())) {
                    throw new FileNotFoundException("No Redis is bundled for this platform");
                }
                return newJarResourceProvider(directory::toFile, executables).get().toPath();
            } catch (UnknownOSName | OsArchitectureNotFound e) {
                throw new IOException("No Redis is bundled for this platform", e);
            }
        }
    }
}
