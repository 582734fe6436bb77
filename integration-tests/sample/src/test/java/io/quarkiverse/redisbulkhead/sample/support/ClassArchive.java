package io.quarkiverse.redisbulkhead.sample.support;

import java.io.File;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The classes of the packaged application as the JVM keeps them in memory (AppCDS), which halves the processor time of a start.
 * The JVM archives only classes from the class path, so the application does not run from {@code quarkus-run.jar}, whose class
 * loader is its own; {@code SampleIT} runs it as users do.
 */
final class ClassArchive {

    static final String MAIN_CLASS = "io.quarkus.runner.GeneratedMain";

    private static final Path APPLICATION = Path.of("target", "quarkus-app").toAbsolutePath();
    private static final Path FILE = APPLICATION.resolveSibling("classes.jsa");
    private static final Path LOCK = APPLICATION.resolveSibling("classes.lock");

    private static ClassArchive made;

    private final String classPath;

    private ClassArchive(String classPath) {
        this.classPath = classPath;
    }

    /** The archive of the current package. The first caller creates it; other processes wait. */
    static synchronized ClassArchive get() throws IOException {
        if (made == null) {
            ClassArchive archive = new ClassArchive(classPath());
            try (FileChannel channel = FileChannel.open(LOCK, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    FileLock lock = channel.lock()) {
                if (archive.isOutdated()) {
                    archive.write();
                }
            }
            made = archive;
        }
        return made;
    }

    /** In the order of the class loader of {@code quarkus-run.jar}: what Quarkus generates replaces what it was made of. */
    private static String classPath() throws IOException {
        List<Path> jars = new ArrayList<>();
        for (String folder : List.of("quarkus", "app", "lib/boot", "lib/main")) {
            try (Stream<Path> files = Files.list(APPLICATION.resolve(folder))) {
                files.filter(file -> file.toString().endsWith(".jar")).sorted().forEach(jars::add);
            }
        }
        return jars.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
    }

    private boolean isOutdated() throws IOException {
        return !Files.exists(FILE) || Files.getLastModifiedTime(FILE)
                .compareTo(Files.getLastModifiedTime(APPLICATION.resolve("quarkus-run.jar"))) < 0;
    }

    // Each process loads missing classes again, so this application makes the same calls as the tests.
    private void write() throws IOException {
        Path folder = APPLICATION.resolveSibling("class-archive");
        Path output = Files.createDirectories(folder).resolve("application.log");
        Files.deleteIfExists(FILE);
        try (TestRedis redis = TestRedis.start(folder); OutsideServer outside = new OutsideServer(new Gate())) {
            Map<String, String> configuration = Map.of("quarkus.redis.hosts", redis.url(), "sample.database.url",
                    outside.databaseUrl(), "sample.partner.url", outside.partnerUrl(), "sample.job.cron", "off",
                    "quarkus.redis-bulkhead.command-timeout", "3s");
            try (SampleProcess application = SampleProcess.start(output, java("-XX:ArchiveClassesAtExit=" + FILE),
                    configuration,
                    Map.of())) {
                callEverything(application, outside);
                // The JVM writes the archive at exit.
                application.terminate();
                application.awaitEnd(Duration.ofMinutes(3));
            }
        } catch (InterruptedException e) {
            throw new IOException("Interrupted while the classes of the application were archived", e);
        }
        if (!Files.exists(FILE)) {
            throw new IOException("The JVM wrote no archive of classes:\n" + Files.readString(output));
        }
    }

    private static void callEverything(SampleProcess application, OutsideServer outside) {
        HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        application.awaitReady(client);
        // One more than the limit, so that one is rejected while the others run.
        List<CompletableFuture<?>> calls = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            calls.add(call(client, application, "GET", "/reports"));
        }
        CompletableFuture.anyOf(calls.toArray(CompletableFuture[]::new)).join();
        Stream.of(outside.reports(), outside.exports(), outside.quotes()).forEach(Gate::open);
        for (String path : List.of("/reports/async", "/exports", "/partner/quote", "/operator/losses", "/job")) {
            calls.add(call(client, application, "GET", path));
        }
        calls.add(call(client, application, "POST", "/ledger"));
        calls.forEach(CompletableFuture::join);
    }

    private static CompletableFuture<?> call(HttpClient client, SampleProcess application, String method, String path) {
        return client.sendAsync(HttpRequest.newBuilder(application.uri(path)).timeout(Duration.ofMinutes(1))
                .method(method, BodyPublishers.noBody()).build(), BodyHandlers.discarding());
    }

    Path file() {
        return FILE;
    }

    /**
     * The command that starts a JVM with the application on its class path; append the configuration of the application and
     * its main class.
     */
    List<String> java(String archiving) {
        return new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                // Optimized for start-up, not for peak speed.
                "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", archiving,
                // As the manifest of quarkus-run.jar says.
                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                "-Djava.util.logging.manager=org.jboss.logmanager.LogManager", "-cp", classPath));
    }
}
