package io.quarkiverse.redisbulkhead.deployment.devservices;

import static redis.embedded.core.ExecutableProvider.newExecutableInPath;
import static redis.embedded.core.ExecutableProvider.newJarResourceProvider;
import static redis.embedded.core.ExecutableProvider.newProvidedVersionsMap;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import redis.embedded.error.OsArchitectureNotFound;
import redis.embedded.error.UnknownOSName;
import redis.embedded.model.OsArchitecture;

/** A source of the executable of a Redis server. */
@FunctionalInterface
interface RedisExecutable {

    /**
     * Finds the executable.
     *
     * @param directory where the executable may be written to
     * @throws IOException if this place has none for this platform
     */
    Path find(Path directory) throws IOException;

    /** The places, in the order in which to try them: the bundled executable, then {@code redis-server} on the PATH. */
    static List<RedisExecutable> inOrderOfPreference() {
        return List.of(RedisExecutable::bundled,
                directory -> newExecutableInPath("redis-server").get().toPath());
    }

    /** The executable of {@code quarkus.redis-bulkhead.devservices.executable}. */
    static RedisExecutable configured(String executable) {
        return directory -> {
            Path path = Path.of(executable);
            if (!Files.isExecutable(path)) {
                throw new IOException(
                        "quarkus.redis-bulkhead.devservices.executable is " + executable + ", which cannot be executed");
            }
            return path.toAbsolutePath();
        };
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
