package io.quarkiverse.redisbulkhead.testredis;

import static redis.embedded.core.ExecutableProvider.newJarResourceProvider;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The server under test: {@code -Dredis.server=} a {@code redis-server} or {@code valkey-server}, else the embedded one.
 */
public final class RedisExecutable {

    private static final String PROPERTY = "redis.server";

    private static Path embedded;

    private RedisExecutable() {
    }

    /** The executable; the embedded one is unpacked once for each JVM. */
    public static synchronized Path path() {
        String given = System.getProperty(PROPERTY, "");
        if (!given.isEmpty()) {
            if (!Files.isExecutable(Path.of(given))) {
                throw new IllegalArgumentException(PROPERTY + " is " + given + ", which cannot be executed");
            }
            return Path.of(given);
        }
        if (embedded == null) {
            try {
                embedded = newJarResourceProvider(Files
                        .createDirectories(Path.of("target", "redis", Long.toString(ProcessHandle.current().pid()))).toFile())
                        .get().toPath()
                        .toAbsolutePath();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return embedded;
    }
}
