package io.quarkiverse.redisbulkhead.sample.support;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.awaitility.Awaitility;

/** The packaged sample application in its own process, on a free port. Its output goes to a file. */
public final class SampleProcess implements AutoCloseable {

    // Set by the profile "native".
    private static final String NATIVE_EXECUTABLE = System.getProperty("native.image.path");
    private static final Pattern LISTENING = Pattern.compile("Listening on: (http://\\S+)");
    private static final Duration LONGEST_START = Duration.ofSeconds(180);

    private final Process process;
    private final Path output;
    private URI address;

    private SampleProcess(Process process, Path output) {
        this.process = process;
        this.output = output;
    }

    /**
     * Starts the application; {@link #awaitReady} waits until it responds.
     *
     * @param output the file for its output
     * @param configuration what is set at start-up
     * @param environment what is added to the environment
     */
    public static SampleProcess start(Path output, Map<String, String> configuration, Map<String, String> environment)
            throws IOException {
        return start(output, NATIVE_EXECUTABLE == null ? onTheJvm() : List.of(NATIVE_EXECUTABLE), configuration, environment);
    }

    /** As the other one, by a command that has everything but the configuration and the main class. */
    static SampleProcess start(Path output, List<String> executable, Map<String, String> configuration,
            Map<String, String> environment) throws IOException {
        List<String> command = new ArrayList<>(executable);
        command.addAll(List.of("-Dquarkus.http.host=127.0.0.1", "-Dquarkus.http.port=0"));
        configuration.forEach((name, value) -> command.add("-D" + name + "=" + value));
        if (NATIVE_EXECUTABLE == null) {
            command.add(ClassArchive.MAIN_CLASS);
        }
        Files.createDirectories(output.getParent());
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().putAll(environment);
        Process process = builder.start();
        // Even if the tests are interrupted.
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
        return new SampleProcess(process, output);
    }

    private static List<String> onTheJvm() throws IOException {
        ClassArchive archive = ClassArchive.get();
        return archive.java("-XX:SharedArchiveFile=" + archive.file());
    }

    /** Waits until the application has started, without sending it a request. */
    public void awaitListening() {
        Awaitility.await("start of the application").atMost(LONGEST_START).pollInterval(Duration.ofMillis(50))
                .until(() -> LISTENING.matcher(output()).find());
    }

    /** Whether applications are native executables in this build. */
    public static boolean isNative() {
        return NATIVE_EXECUTABLE != null;
    }

    /** Waits until the application responds, and Redis replies to it. */
    public void awaitReady(HttpClient client) {
        awaitResponse(client, "/status");
    }

    /** Waits until the application responds, even without Redis. */
    public void awaitStarted(HttpClient client) {
        awaitResponse(client, "/job");
    }

    private void awaitResponse(HttpClient client, String path) {
        Awaitility.await("start of the application").atMost(LONGEST_START).pollInterval(Duration.ofMillis(50))
                .until(() -> answers(client, path));
    }

    private boolean answers(HttpClient client, String path) throws IOException, InterruptedException {
        if (!process.isAlive()) {
            throw new IllegalStateException("The application ended with exit code " + process.exitValue());
        }
        Matcher listening = LISTENING.matcher(output());
        if (!listening.find()) {
            return false;
        }
        address = URI.create(listening.group(1));
        HttpRequest request = HttpRequest.newBuilder(uri(path)).timeout(Duration.ofSeconds(60)).build();
        return client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() == 200;
    }

    /** The address of an endpoint. */
    public URI uri(String path) {
        return address.resolve(path);
    }

    /** The output of the application so far. */
    public String output() throws IOException {
        return Files.readString(output);
    }

    /** Kills the process (SIGKILL), and returns when it has ended. */
    public void kill() {
        process.destroyForcibly().onExit().join();
    }

    /** Asks the process to end (SIGTERM). */
    public void terminate() {
        process.destroy();
    }

    /** Waits until the process has ended, and fails on timeout. */
    public void awaitEnd(Duration atMost) throws InterruptedException {
        if (!process.waitFor(atMost.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new AssertionError("The application has not ended within " + atMost);
        }
    }

    /** Stops all threads of the process until {@link #resume} (SIGSTOP). */
    public void pause() throws IOException, InterruptedException {
        signal("STOP");
    }

    /** Resumes a paused process (SIGCONT). */
    public void resume() throws IOException, InterruptedException {
        signal("CONT");
    }

    private void signal(String name) throws IOException, InterruptedException {
        int exit = new ProcessBuilder("sh", "-c", "kill -" + name + " " + process.pid()).inheritIO().start().waitFor();
        if (exit != 0) {
            throw new IOException("kill -" + name + " ended with exit code " + exit);
        }
    }

    @Override
    public void close() {
        kill();
    }
}
