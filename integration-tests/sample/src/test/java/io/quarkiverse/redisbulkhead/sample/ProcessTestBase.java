package io.quarkiverse.redisbulkhead.sample;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.sample.support.OutsideServer;
import io.quarkiverse.redisbulkhead.sample.support.SampleProcess;
import io.quarkiverse.redisbulkhead.testredis.RedisProcess;

/**
 * Common parts of tests with several packaged applications. Each application runs in its own process; those of a test share
 * a Redis server. Tests observe them from outside: in Redis, and in the server that the guarded methods call.
 */
abstract class ProcessTestBase {

    // Separate for each JVM, of which several run at a time.
    private static final Path FOLDER = Path.of("target", "processes", Long.toString(ProcessHandle.current().pid()));

    final List<SampleProcess> applications = new ArrayList<>();
    RedisProcess redis;
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
    void startRedisAndTheOutsideWorld() {
        redis = new RedisProcess(FOLDER.resolve("redis"), List.of()).start();
        outside = new OutsideServer();
    }

    @AfterEach
    void stopAll() {
        applications.forEach(SampleProcess::close);
        outside.close();
        redis.close();
    }

    /** Starts an application; {@link #awaitReady} waits until it responds. */
    final SampleProcess start(Map<String, String> configuration) throws IOException {
        return start(configuration, Map.of());
    }

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

    final void awaitReady() {
        applications.forEach(application -> application.awaitReady());
    }

    /** Waits until no permit is held and no caller waits. Calls do not wait for the replies to their releases. */
    final void awaitNoLeftovers(String bulkhead) {
        await("no leftovers of " + bulkhead).atMost(Duration.ofSeconds(20)).pollDelay(Duration.ZERO)
                .until(() -> redis.permits(bulkhead) == 0 && redis.waiters(bulkhead) == 0);
    }

    static CompletableFuture<HttpResponse<String>> get(SampleProcess application, String path) {
        return application.send("GET", path);
    }

    static CompletableFuture<HttpResponse<String>> post(SampleProcess application, String path) {
        return application.send("POST", path);
    }
}
