package io.quarkiverse.redisbulkhead.benchmarks.application;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a guarded call costs with {@code store=local}: packages the application, and lets JMH run in it. */
class CallBenchmarkTest {

    private static final Path RESULTS = Path.of("target", "calls.csv").toAbsolutePath();

    /** That it works; all in one process, and each for a moment. */
    @Test
    @Tag("short")
    void everyCallIsMade() throws Exception {
        assertThat(measure("-f", "0", "-wi", "0", "-i", "1", "-r", "10ms")).hasSize(8)
                .allSatisfy(call -> assertThat(call.nanos()).isPositive());
    }

    @Test
    @Tag("long")
    void calls() throws Exception {
        List<CallFigures> figures = measure();
        Document.write("calls", CallFigures.table(figures));
        Document.write("targets of calls", CallFigures.targets(figures));
    }

    private static List<CallFigures> measure(String... options) throws IOException, InterruptedException {
        Properties properties = new Properties();
        properties.setProperty("quarkus.package.jar.type", "uber-jar");
        properties.setProperty("quarkus.redis-bulkhead.store", "local");
        Path jar = Packaged.application("calls", properties, List.of(Packaged.EXTENSION, Packaged.JMH));
        // What the process is given here, JMH gives to the processes that it starts.
        List<String> command = new ArrayList<>(List.of(Java.executable(), "-Dquarkus.http.host-enabled=false",
                "-Dquarkus.log.level=WARN", "-Djmh.shutdownTimeout=1",
                "-Djava.util.logging.manager=org.jboss.logmanager.LogManager",
                "-cp", jar.toString(), CallBenchmark.class.getName(), CallBenchmark.class.getName(), "-prof", "gc", "-rf",
                "csv", "-rff", RESULTS.toString()));
        command.addAll(List.of(options));
        Java.run(command);
        return CallFigures.of(Files.readAllLines(RESULTS));
    }
}
