package io.quarkiverse.redisbulkhead.sample.support;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.awaitility.Awaitility;

/** The packaged sample application in its own process, on a free port. Its output goes to a file. */
public final class SampleProcess implements AutoCloseable {

    // Set by the profile "native".
    private static final String NATIVE_EXECUTABLE = System.getProperty("native.image.path");
    private static final Path APPLICATION = Path.of("target", "quarkus-app", "quarkus-run.jar");
    private static final Pattern LISTENING = Pattern.compile("Listening on: (http://\\S+)");
    private static final HttpClient CLIENT = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private static final Duration LONGEST_START = Duration.ofSeconds(180);

    private final Process process;
    private final Path output;
    private URI address;

    private SampleProcess(Process process, Path output) {
        this.process = process;
        this.output = output;
    }

    /** Starts the application, with its output in a file; {@link #awaitReady} waits until it responds. */
    public static SampleProcess start(Path output, Map<String, String> configuration, Map<String, String> environment)
            throws IOException {
        // Optimized for start-up, not for peak speed.
        List<String> command = new ArrayList<>(isNative() ? List.of(NATIVE_EXECUTABLE)
                : List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC"));
        command.addAll(List.of("-Dquarkus.http.host=127.0.0.1", "-Dquarkus.http.port=0"));
        configuration.forEach((name, value) -> command.add("-D" + name + "=" + value));
        if (!isNative()) {
            command.addAll(List.of("-jar", APPLICATION.toString()));
        }
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().putAll(environment);
        Process process = builder.start();
        // Even if the tests are interrupted.
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
        return new SampleProcess(process, output);
    }

    /** Waits until the application has started, without sending it a request. */
    public void awaitListening() {
        Awaitility.await("start of the application").atMost(LONGEST_START).pollInterval(Duration.ofMillis(50))
                .until(() -> LISTENING.matcher(output()).find());
    }

    public static boolean isNative() {
        return NATIVE_EXECUTABLE != null;
    }

    /** Waits until the application responds, and Redis replies to it. */
    public void awaitReady() {
        Awaitility.await("start of the application").atMost(LONGEST_START).pollInterval(Duration.ofMillis(50))
                .until(this::answers);
    }

    private boolean answers() throws IOException {
        if (!process.isAlive()) {
            throw new IllegalStateException("The application ended with exit code " + process.exitValue());
        }
        Matcher listening = LISTENING.matcher(output());
        if (!listening.find()) {
            return false;
        }
        address = URI.create(listening.group(1));
        return send("GET", "/status").join().statusCode() == 200;
    }

    /** Sends a request without a body; returns the future response. */
    public CompletableFuture<HttpResponse<String>> send(String method, String path) {
        HttpRequest request = HttpRequest.newBuilder(address.resolve(path)).timeout(Duration.ofSeconds(60))
                .method(method, BodyPublishers.noBody()).build();
        return CLIENT.sendAsync(request, BodyHandlers.ofString());
    }

    public String output() throws IOException {
        return Files.readString(output);
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

    /** Kills the process, and returns when it has ended. */
    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
