package io.quarkiverse.redisbulkhead.benchmarks.redis;

import static redis.embedded.core.ExecutableProvider.newJarResourceProvider;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The server that is measured with: {@code -Dredis.server=} a {@code redis-server} or {@code valkey-server}, else the
 * embedded one.
 */
final class RedisExecutable {

    private static final String PROPERTY = "redis.server";

    private RedisExecutable() {
    }

    static Path path() throws IOException {
        String given = System.getProperty(PROPERTY, "");
        if (given.isEmpty()) {
            return newJarResourceProvider(Files.createDirectories(Path.of("target", "redis")).toFile()).get().toPath()
                    .toAbsolutePath();
        }
        if (!Files.isExecutable(Path.of(given))) {
            throw new IllegalArgumentException(PROPERTY + " is " + given + ", which cannot be executed");
        }
        return Path.of(given);
    }
}
