package io.quarkiverse.redisbulkhead.faults.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;

import io.quarkiverse.redisbulkhead.testredis.RedisProcess;
import io.quarkus.bootstrap.app.CuratedApplication;
import io.quarkus.bootstrap.app.QuarkusBootstrap;

/**
 * Packages the worker of this module as an uber-jar, once for each store, which the build fixes, and archives its classes as
 * the JVM keeps them in memory (AppCDS): a start then takes half of the processor time.
 */
final class WorkerBuild {

    private static final Path TARGET = Path.of("target").toAbsolutePath();

    private static final Map<Store, WorkerBuild> BUILDS = new EnumMap<>(Store.class);

    private final Path jar;
    private final Path classes;

    private WorkerBuild(Store store) throws Exception {
        Path folder = TARGET.resolve("worker-" + store.configured());
        this.jar = build(store, folder);
        this.classes = folder.resolve("classes.jsa");
        Files.deleteIfExists(classes);
        archiveClasses(folder);
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

    // Each worker loads missing classes again, so this worker makes the same calls as the tests.
    private void archiveClasses(Path folder) throws IOException {
        History history = new History();
        Stage.LIMITS.forEach(history::limit);
        String output;
        try (RedisProcess redis = new RedisProcess(folder.resolve("redis"), List.of()).start();
                Observer observer = new Observer(history)) {
            WorkerProcess worker = WorkerProcess.start("archive",
                    configuration -> java("-XX:ArchiveClassesAtExit=" + classes, configuration), folder, history, observer,
                    Map.of("quarkus.redis.hosts", redis.url()), Map.of());
            try {
                worker.awaitStarted().awaitReady();
                // More callers than permits, so that some wait.
                worker.load("open", "sync", 8, 1).load("fair", "uni", 8, 1).load("keyed", "uni", 8, 1, 2);
                worker.pass("fair").awaitDone();
                worker.stopLoad();
                worker.awaitLoadStopped();
                // The JVM writes the archive at exit.
                worker.terminate();
                worker.awaitEnd(Duration.ofMinutes(3));
            } finally {
                worker.kill();
            }
            output = worker.output();
        }
        if (!Files.exists(classes)) {
            throw new IOException("The JVM wrote no archive of classes:\n" + output);
        }
    }

    List<String> java(Map<String, String> configuration) {
        return java("-XX:SharedArchiveFile=" + classes, configuration);
    }

    private List<String> java(String archiving, Map<String, String> configuration) {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                // Optimized for start-up, not for peak speed.
                "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx192m", archiving));
        configuration.forEach((property, value) -> command.add("-D" + property + "=" + value));
        command.addAll(List.of("-jar", jar.toString()));
        return command;
    }
}
