package io.quarkiverse.redisbulkhead.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.sample.support.OutsideServer;
import io.quarkiverse.redisbulkhead.sample.support.SampleProcess;
import io.quarkiverse.redisbulkhead.sample.support.TestRedis;
import io.vertx.core.json.JsonObject;

/**
 * Common parts of tests with several packaged applications. Each application runs in its own process; those of a test share
 * a Redis server. Tests observe them from outside: in Redis, and in the server that the guarded methods call.
 */
abstract class ProcessTestBase {

    private static final String NO_FAKETIME = "libfaketime is not installed, so no clock can be skewed"
            + " (Debian: apt-get install libfaketime)";
    // Separate for each JVM: several run at a time, and each unpacks the server.
    private static final Path FOLDER = Path.of("target", "processes", Long.toString(ProcessHandle.current().pid()));
    static final HttpClient CLIENT = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    final List<SampleProcess> applications = new ArrayList<>();
    TestRedis redis;
    OutsideServer outside;

    @RegisterExtension
    final AfterTestExecutionCallback printOutputOnFailure = test -> {
        if (test.getExecutionException().isPresent()) {
            for (SampleProcess application : applications) {
                System.err.println("---- output of an application in " + test.getDisplayName());
                System.err.println(application.output());
            }
        }
    };

    @BeforeEach
    void startRedis() throws IOException {
        redis = TestRedis.start(FOLDER.resolve("redis"));
    }

    @AfterEach
    void stopAll() throws IOException {
        applications.forEach(SampleProcess::close);
        if (outside != null) {
            outside.close();
        }
        redis.close();
    }

    /** Starts an application; {@link #awaitReady} waits until it responds. */
    final SampleProcess start(Map<String, String> configuration) throws IOException {
        return start(configuration, Map.of());
    }

    /** Starts an application with additions to its environment. */
    final SampleProcess start(Map<String, String> configuration, Map<String, String> environment) throws IOException {
        Map<String, String> all = new HashMap<>(configuration);
        all.put("quarkus.redis.hosts", redis.url());
        all.put("sample.database.url", outside.databaseUrl());
        all.put("sample.partner.url", outside.partnerUrl());
        all.putIfAbsent("sample.job.cron", "off");
        // Generous for busy machines.
        all.putIfAbsent("quarkus.redis-bulkhead.command-timeout", "3s");
        all.putIfAbsent("quarkus.rest-client.read-timeout", "60000");
        Path output = Files.createTempFile(Files.createDirectories(FOLDER), "application-", ".log");
        SampleProcess application = SampleProcess.start(output, all, environment);
        applications.add(application);
        return application;
    }

    /** Waits until all applications respond. */
    final void awaitReady() {
        applications.forEach(application -> application.awaitReady(CLIENT));
    }

    /** Sends a request; returns the future response. */
    static CompletableFuture<HttpResponse<String>> get(SampleProcess application, String path) {
        HttpRequest request = HttpRequest.newBuilder(application.uri(path)).timeout(Duration.ofSeconds(60)).build();
        return CLIENT.sendAsync(request, BodyHandlers.ofString());
    }

    /** Sends a request without a body; returns the future response. */
    static CompletableFuture<HttpResponse<String>> post(SampleProcess application, String path) {
        HttpRequest request = HttpRequest.newBuilder(application.uri(path)).timeout(Duration.ofSeconds(60))
                .POST(BodyPublishers.noBody()).build();
        return CLIENT.sendAsync(request, BodyHandlers.ofString());
    }

    static JsonObject getJson(SampleProcess application, String path) {
        return new JsonObject(get(application, path).join().body());
    }

    static Instant clockOf(SampleProcess application) {
        return getJson(application, "/status").getInstant("now");
    }

    /**
     * The environment that fakes the clock of an application; skips the test if libfaketime is unavailable.
     *
     * @param skew by how much, for example {@code +1h}
     */
    static Map<String, String> fakedClock(String skew) throws IOException {
        Optional<Path> faketime = libfaketime();
        if (faketime.isEmpty()) {
            // Also on the console, which does not show the reason of a skipped test.
            System.err.println("Skipped: " + NO_FAKETIME);
        }
        assumeTrue(faketime.isPresent(), NO_FAKETIME);
        return fakedClock(faketime.get(), skew);
    }

    /** Fails unless the clock of an application is off by that. */
    static void assertThatClockIsOff(SampleProcess application, String skew) {
        assertThat(clockOf(application)).isCloseTo(Instant.now().plus(Duration.parse("PT" + skew.replace("+", ""))),
                within(1, ChronoUnit.MINUTES));
    }

    /** Only the time of day is faked. Without the last variable waiting threads spin, and a JVM takes ten times as long. */
    private static Map<String, String> fakedClock(Path libfaketime, String skew) {
        return Map.of("LD_PRELOAD", libfaketime.toString(), "FAKETIME", skew, "DONT_FAKE_MONOTONIC", "1",
                "FAKETIME_DONT_FAKE_MONOTONIC", "1", "FAKETIME_FORCE_MONOTONIC_FIX", "0");
    }

    private static Optional<Path> libfaketime() throws IOException {
        Path libraries = Path.of("/usr/lib");
        if (!Files.isDirectory(libraries)) {
            return Optional.empty();
        }
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(libraries)) {
            for (Path folder : folders) {
                Path library = folder.resolve("faketime").resolve("libfaketimeMT.so.1");
                if (Files.exists(library)) {
                    return Optional.of(library);
                }
            }
        }
        return Optional.empty();
    }
}
