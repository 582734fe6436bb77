package io.quarkiverse.redisbulkhead.runtime.store.reference;

import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A {@link LoadProcess} as seen by its parent. {@link #close} kills it. */
final class StartedProcess implements AutoCloseable {

    private final LoadProcess.Task task;
    private final Process process;
    private final CompletableFuture<Void> ready = new CompletableFuture<>();

    StartedProcess(LoadProcess.Task task) {
        this(task, Map.of());
    }

    /**
     * @param environment variables added to those of this process
     */
    StartedProcess(LoadProcess.Task task, Map<String, String> environment) {
        this.task = task;
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx256m",
                // The process runs for seconds: optimizing costs more than it saves.
                "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC",
                "-Djava.util.logging.manager=org.jboss.logmanager.LogManager",
                "-cp", System.getProperty("java.class.path"), LoadProcess.class.getName()));
        command.addAll(task.toArguments());
        try {
            ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
            builder.environment().putAll(environment);
            process = builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        new Thread(this::readOutput, "output of " + task.kind()).start();
    }

    private void readOutput() {
        process.inputReader().lines().forEach(line -> {
            if (line.equals(LoadProcess.READY)) {
                ready.complete(null);
            }
        });
        ready.completeExceptionally(new AssertionError("The process has ended"));
    }

    void awaitReady() throws Exception {
        ready.get(180, TimeUnit.SECONDS);
    }

    void start() throws IOException {
        process.getOutputStream().write('\n');
        process.getOutputStream().flush();
    }

    /** Waits for the process to end by itself, and returns its exit code. */
    int awaitEnd() throws InterruptedException {
        if (!process.waitFor(task.duration().toSeconds() + 300, TimeUnit.SECONDS)) {
            throw new AssertionError("The process did not end by itself");
        }
        return process.exitValue();
    }

    LoadFigures figures() throws IOException {
        Properties figures = new Properties();
        try (Reader result = Files.newBufferedReader(task.result())) {
            figures.load(result);
        }
        return LoadFigures.of(figures);
    }

    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().join();
    }
}
