package io.quarkiverse.redisbulkhead.deployment.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.RedisBulkheads;
import io.quarkiverse.redisbulkhead.SemaphoreSpec;
import io.quarkiverse.redisbulkhead.deployment.OptionalExtensions;
import io.quarkiverse.redisbulkhead.deployment.OtherInstance;
import io.quarkus.runtime.QuarkusApplication;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.annotations.QuarkusMain;
import io.quarkus.test.ProdBuildResults;
import io.quarkus.test.ProdModeTestResults;
import io.quarkus.test.QuarkusProdModeTest;
import io.vertx.core.Vertx;

/** A packaged command-mode application that ends while it holds a permit with a lease of some minutes. */
class CommandModeTest {

    @RegisterExtension
    static final QuarkusProdModeTest APP = new QuarkusProdModeTest()
            .withApplicationRoot(jar -> jar.addClasses(Batch.class))
            // The test has their extensions, which a packaged application does not get from there.
            .setForcedDependencies(OptionalExtensions.of("quarkus-rest-jackson", "quarkus-rest-client-jackson"))
            // The build of the tests lets applications share some libraries, which splits them in a packaged one.
            .overrideConfigKey("quarkus.package.jar.type", "uber-jar")
            .overrideConfigKey("quarkus.package.jar.compress", "false")
            .overrideConfigKey("quarkus.http.host-enabled", "false");

    @ProdBuildResults
    ProdModeTestResults results;

    private final KillableRedis redis = new KillableRedis("CommandModeTest");
    private final Vertx vertx = Vertx.vertx();

    @BeforeEach
    void startRedis() {
        redis.start();
    }

    @AfterEach
    void stopRedis() {
        redis.stop();
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }

    /** The input ends, SIGTERM arrives, or both: together, or one after the other while the application stops. */
    @ParameterizedTest
    @CsvSource({ "true, false, false", "false, false, true", "true, false, true", "true, true, true" })
    void permitIsFreeAfter(boolean endOfInput, boolean stopping, boolean sigterm) throws Exception {
        Process batch = start();
        if (endOfInput) {
            batch.getOutputStream().close();
        }
        if (stopping) {
            awaitLine(batch, "stopping");
        }
        if (sigterm) {
            batch.toHandle().destroy();
        }

        assertThat(batch.inputReader(StandardCharsets.UTF_8).lines()).noneMatch(line -> line.contains(" ERROR "));
        assertThat(batch.waitFor(60, TimeUnit.SECONDS)).isTrue();
        try (OtherInstance next = new OtherInstance(vertx, redis.address(), "next", "host:2")) {
            next.begin(Batch.SPEC, "Next#run");
        }
    }

    private Process start() throws IOException {
        Process process = new ProcessBuilder(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:+UnlockDiagnosticVMOptions",
                "-XX:-BytecodeVerificationRemote", "-Dquarkus.redis.hosts=" + redis.address(), "-jar",
                results.getBuiltArtifactPath().toString())).redirectErrorStream(true).start();
        awaitLine(process, "inside");
        return process;
    }

    private static void awaitLine(Process process, String expected) throws IOException {
        BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
        List<String> lines = new ArrayList<>();
        String line = output.readLine();
        while (line != null && !line.equals(expected)) {
            lines.add(line);
            line = output.readLine();
        }
        assertThat(line).as("after %s", lines).isEqualTo(expected);
    }

    @QuarkusMain
    public static class Batch implements QuarkusApplication {

        static final SemaphoreSpec SPEC = SemaphoreSpec.named("batch").permits(1).expire(Duration.ofMinutes(5)).build();

        @Inject
        RedisBulkheads bulkheads;

        @Override
        public int run(String... args) throws IOException {
            Permit permit = bulkheads.semaphore(SPEC).tryAcquire().orElseThrow();
            System.out.println("inside");
            while (System.in.read() >= 0) {
                // Until the input ends.
            }
            return permit.isHeld() ? 0 : 1;
        }

        /** What the application does for some time when it stops. */
        void cleanUp(@Observes ShutdownEvent event) throws InterruptedException {
            System.out.println("stopping");
            new CountDownLatch(1).await(1, TimeUnit.SECONDS);
        }
    }
}
