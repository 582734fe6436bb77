package io.quarkiverse.redisbulkhead.deployment.devservices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.quarkiverse.redisbulkhead.deployment.behaviour.KillableRedis;
import io.quarkiverse.redisbulkhead.deployment.devservices.EmbeddedRedis.Executable;

class EmbeddedRedisTest {

    @TempDir
    Path parent;

    @Test
    void persistsNothingAndListensOnLoopbackOnly() {
        try (EmbeddedRedis redis = newRedis()) {
            redis.start();

            assertThat(query(redis, "CONFIG GET save")).containsExactly("*2", "$4", "save", "$0", "");
            assertThat(query(redis, "CONFIG GET appendonly")).contains("no");
            assertThat(query(redis, "CONFIG GET bind")).contains("127.0.0.1");
        }
    }

    @Test
    void leavesNoProcessAndNoFileWhenClosedAndStartsAgain() {
        Set<ProcessHandle> before = descendants();
        EmbeddedRedis redis = newRedis();
        redis.start();
        String address = redis.getConnectionInfo();
        redis.start();
        assertThat(redis.getConnectionInfo()).as("it is the same server").isEqualTo(address);
        Set<ProcessHandle> started = startedSince(before);
        assertThat(started).hasSize(1);
        assertThat(parent).isNotEmptyDirectory();

        redis.close();
        redis.close();
        assertThat(started).noneMatch(ProcessHandle::isAlive);
        assertThat(parent).isEmptyDirectory();

        redis.start();
        assertThat(query(redis, "PING")).containsExactly("+PONG");
        redis.close();
    }

    @Test
    void triesTheNextExecutableWhenOneDoesNotRun() {
        Executable broken = directory -> Files.writeString(directory.resolve("broken"), "not a program");
        List<Executable> executables = new ArrayList<>(Executable.inOrderOfPreference());
        executables.add(0, broken);
        try (EmbeddedRedis redis = new EmbeddedRedis(parent, executables, EmbeddedRedis.PATIENCE)) {
            redis.start();

            assertThat(query(redis, "PING")).containsExactly("+PONG");
        }
    }

    @Test
    void failsWithAdviceOnUnsupportedPlatforms() {
        Executable missing = directory -> {
            throw new FileNotFoundException("none for this platform");
        };
        EmbeddedRedis redis = new EmbeddedRedis(parent, List.of(missing), EmbeddedRedis.PATIENCE);

        assertThatThrownBy(redis::start)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll(System.getProperty("os.name"), System.getProperty("os.arch"), "quarkus.redis.hosts",
                        "container runtime", "none for this platform");
        assertThat(parent).isEmptyDirectory();
    }

    @Test
    void stopsWaitingForAProgramThatIsNotRedis() throws IOException {
        Path deaf = script("echo hello\nsleep 1000\n");
        EmbeddedRedis redis = new EmbeddedRedis(parent, List.of(directory -> deaf), Duration.ofMillis(100));

        assertThatThrownBy(redis::start).hasMessageEndingWith("Tried: " + deaf + " did not become ready: hello");
    }

    /** Also a script that does not replace itself by the server. */
    @Test
    void runsOnlyTheConfiguredExecutable() throws IOException {
        Path started = parent.resolve("started");
        Path bundled = Executable.inOrderOfPreference().get(0).find(Files.createDirectory(parent.resolve("bundled")));
        Path configured = script("touch " + started + "\n" + bundled + " --logfile here \"$@\"\nexit 1\n");
        Set<ProcessHandle> before = descendants();
        Set<ProcessHandle> processes = new HashSet<>();
        try (EmbeddedRedis redis = new EmbeddedRedis(Optional.of(configured.toString()))) {
            redis.start();

            assertThat(query(redis, "PING")).containsExactly("+PONG");
            assertThat(started).exists();
            processes.addAll(startedSince(before));
        }
        assertThat(processes).hasSize(2);
        await().atMost(10, TimeUnit.SECONDS).until(() -> processes.stream().noneMatch(ProcessHandle::isAlive));
    }

    private Path script(String commands) throws IOException {
        Path script = Files.writeString(parent.resolve("script"), "#!/bin/sh\n" + commands);
        assertThat(script.toFile().setExecutable(true)).isTrue();
        return script;
    }

    @Test
    void failsWhenTheConfiguredExecutableIsMissing() {
        EmbeddedRedis redis = new EmbeddedRedis(Optional.of(parent.resolve("missing").toString()));

        assertThatThrownBy(redis::start)
                .hasMessageContainingAll("set quarkus.redis-bulkhead.devservices.executable. Tried: ",
                        '"' + parent.resolve("missing").toString() + '"');
    }

    private EmbeddedRedis newRedis() {
        return new EmbeddedRedis(parent, Executable.inOrderOfPreference(), EmbeddedRedis.PATIENCE);
    }

    private static Set<ProcessHandle> descendants() {
        return ProcessHandle.current().descendants().collect(Collectors.toSet());
    }

    private static Set<ProcessHandle> startedSince(Set<ProcessHandle> before) {
        Set<ProcessHandle> now = descendants();
        now.removeAll(before);
        return now;
    }

    private static List<String> query(EmbeddedRedis redis, String command) {
        String[] address = redis.getConnectionInfo().split(":");
        return KillableRedis.text(address[0], Integer.parseInt(address[1]), command);
    }
}
