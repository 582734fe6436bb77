package io.quarkiverse.redisbulkhead.faults.harness;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;

import io.quarkus.bootstrap.app.CuratedApplication;
import io.quarkus.bootstrap.app.QuarkusBootstrap;

/**
 * Packages the worker of this module as an uber-jar, once for each store, which the build fixes, and archives its classes as
 * the JVM keeps them in memory (AppCDS): a start then takes half of the processor time.
 */
final class WorkerBuild {

    private static final Path TARGET = Path.of("target").toAbsolutePath();
    private static final int LONGEST_START_MILLIS = 180_000;

    private static final Map<Store, WorkerBuild> BUILDS = new EnumMap<>(Store.class);

    private final Path jar;
    private final Path classes;

    private WorkerBuild(Store store) throws Exception {
        Path folder = TARGET.resolve("worker-" + store.configured());
        this.jar = build(store, folder);
        this.classes = folder.resolve("classes.jsa");
        Files.deleteIfExists(classes);
        archiveClasses(folder.resolve("archive.log"));
    }

    static synchronized WorkerBuild of(Store store) {
        return BUILDS.computeIfAbsent(store, missing -> {
            try {
                return new WorkerBuild(missing);
            } catch (Exception e) {
                throw new AssertionError("The worker cannot be packaged", e);
            }
        });
    }

    private static Path build(Store store, Path folder) throws Exception {
        Properties properties = new Properties();
        properties.setProperty("quarkus.package.output-directory", folder.toString());
        properties.setProperty("quarkus.package.jar.type", "uber-jar");
        properties.setProperty("quarkus.redis-bulkhead.store", store.configured());
        QuarkusBootstrap bootstrap = QuarkusBootstrap.builder()
                .setApplicationRoot(TARGET.resolve("classes"))
                .setProjectRoot(TARGET.getParent())
                .setTargetDirectory(TARGET)
                .setBuildSystemProperties(properties)
                .setMode(QuarkusBootstrap.Mode.PROD)
                .setLocalProjectDiscovery(true)
                .setIsolateDeployment(true)
                .build();
        try (CuratedApplication application = bootstrap.bootstrap()) {
            return application.createAugmentor().createProductionApplication().getJar().getPath();
        }
    }

    /** The JVM writes the archive when the worker ends, which has connected to its observer by then. */
    private void archiveClasses(Path output) throws IOException, InterruptedException {
        try (ServerSocket observer = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            observer.setSoTimeout(LONGEST_START_MILLIS);
            Process worker = new ProcessBuilder(java("-XX:ArchiveClassesAtExit=" + classes,
                    Map.of("worker.observer", observer.getInetAddress().getHostAddress() + ":" + observer.getLocalPort(),
                            "quarkus.redis.hosts", "redis://127.0.0.1:1")))
                    .redirectErrorStream(true).redirectOutput(output.toFile()).start();
            try (Socket connection = observer.accept()) {
                connection.setSoTimeout(LONGEST_START_MILLIS);
                // "hello"
                connection.getInputStream().read();
                worker.destroy();
                worker.waitFor(LONGEST_START_MILLIS, TimeUnit.MILLISECONDS);
            } finally {
                worker.destroyForcibly();
            }
        }
        if (!Files.exists(classes)) {
            throw new IOException("The JVM wrote no archive of classes:\n" + Files.readString(output));
        }
    }

    /** The command that starts a worker. */
    List<String> java(Map<String, String> configuration) {
        return java("-XX:SharedArchiveFile=" + classes, configuration);
    }

    private List<String> java(String archiving, Map<String, String> configuration) {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                // Quick to start rather than fast in the long run.
                "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx192m", archiving));
        configuration.forEach((property, value) -> command.add("-D" + property + "=" + value));
        command.addAll(List.of("-jar", jar.toString()));
        return command;
    }
}
