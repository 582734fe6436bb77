package io.quarkiverse.redisbulkhead.sample.support;

import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.awaitility.Awaitility;

/**
 * The classes of the packaged application as the JVM keeps them in memory (AppCDS), which halves the processor time of a start.
 * The
 * JVM archives only classes from the class path, so the application does not run from {@code quarkus-run.jar}, whose class
 * loader
 * is its own; {@code SampleIT} runs it as users do.
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

    /** The archive of what is packaged now. The first caller makes it; those of other processes wait. */
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

    private void write() throws IOException {
        Path output = Files.createTempFile("class-archive", ".log");
        List<String> command = java("-XX:ArchiveClassesAtExit=" + FILE);
        command.addAll(
                List.of("-Dquarkus.http.host=127.0.0.1", "-Dquarkus.http.port=0", "-Dquarkus.redis.hosts=redis://127.0.0.1:1",
                        MAIN_CLASS));
        Files.deleteIfExists(FILE);
        Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
        try {
            Awaitility.await("start of the application that archives its classes").atMost(180, TimeUnit.SECONDS)
                    .until(() -> !process.isAlive() || Files.readString(output).contains("Listening on"));
            // The JVM writes the archive when it ends.
            process.destroy();
            process.waitFor(180, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new IOException("Interrupted while the classes of the application were archived", e);
        } finally {
            process.destroyForcibly();
        }
        if (!Files.exists(FILE)) {
            throw new IOException("The JVM wrote no archive of classes:\n" + Files.readString(output));
        }
        Files.delete(output);
    }

    Path file() {
        return FILE;
    }

    /**
     * The command that starts a JVM with the application on its class path; what the application is told and its main class
     * follow.
     */
    List<String> java(String archiving) {
        return new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                // Quick to start rather than fast in the long run.
                "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", archiving,
                // As the manifest of quarkus-run.jar says.
                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                "-Djava.util.logging.manager=org.jboss.logmanager.LogManager", "-cp", classPath));
    }
}
