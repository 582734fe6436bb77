package io.quarkiverse.redisbulkhead.benchmarks.application;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The application in a process of its own, from its start to its first response. */
final class StartedApplication {

    private static final Pattern STARTED = Pattern.compile("started in ([0-9.]+)s\\. Listening on: (http://\\S+)");

    private StartedApplication() {
    }

    static StartFigures measure(Path application, int redisPort) throws IOException, InterruptedException {
        long begun = System.nanoTime();
        Process process = new ProcessBuilder(command(application, redisPort)).redirectErrorStream(true).start();
        try (BufferedReader output = process.inputReader()) {
            Matcher started = started(output);
            HttpRequest request = HttpRequest.newBuilder(URI.create(started.group(2) + "/greeting")).build();
            assertThat(HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).body()).isEqualTo("hello 0");
            double answered = (System.nanoTime() - begun) / 1e6;
            return new StartFigures(Double.parseDouble(started.group(1)) * 1_000, answered, memory(process));
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    private static Matcher started(BufferedReader output) throws IOException {
        StringBuilder all = new StringBuilder();
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            Matcher started = STARTED.matcher(line);
            if (started.find()) {
                return started;
            }
            all.append(line).append('\n');
        }
        throw new AssertionError("The application did not start:\n" + all);
    }

    private static List<String> command(Path application, int redisPort) {
        List<String> options = List.of("-Dquarkus.http.port=0", "-Dquarkus.redis.hosts=redis://localhost:" + redisPort);
        List<String> command = new ArrayList<>();
        if (Variant.isNative()) {
            command.add(application.toString());
            command.addAll(options);
        } else {
            command.addAll(List.of(Java.executable(), "-Xmx128m"));
            command.addAll(options);
            command.addAll(List.of("-jar", application.toString()));
        }
        return command;
    }

    /** Megabytes: of live objects on the heap; of a native process all of its memory, because its heap cannot be queried. */
    private static double memory(Process process) throws IOException, InterruptedException {
        return Variant.isNative() ? residentMegabytes(process) : liveMegabytes(process);
    }

    private static double liveMegabytes(Process process) throws IOException, InterruptedException {
        Process histogram = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "jmap").toString(),
                "-histo:live", Long.toString(process.pid())).redirectErrorStream(true).start();
        String last = "";
        try (BufferedReader output = histogram.inputReader()) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                last = line;
            }
        }
        assertThat(histogram.waitFor(1, TimeUnit.MINUTES)).isTrue();
        return Double.parseDouble(last.trim().split("\\s+")[2]) / (1 << 20);
    }

    private static double residentMegabytes(Process process) throws IOException {
        String statistics = Files.readString(Path.of("/proc", Long.toString(process.pid()), "statm"));
        return Long.parseLong(statistics.split(" ")[1]) * 4_096.0 / (1 << 20);
    }
}
