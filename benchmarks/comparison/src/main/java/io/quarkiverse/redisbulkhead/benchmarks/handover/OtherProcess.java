package io.quarkiverse.redisbulkhead.benchmarks.handover;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.quarkiverse.redisbulkhead.benchmarks.Benchmarks;
import io.quarkiverse.redisbulkhead.benchmarks.contender.BenchmarkEnvironment;
import io.quarkiverse.redisbulkhead.benchmarks.contender.OwnApplication;
import io.quarkiverse.redisbulkhead.benchmarks.contender.OwnStore;
import io.quarkus.runtime.BlockingOperationControl;
import io.quarkus.runtime.IOThreadDetector;
import io.smallrye.context.SmallRyeContextManagerProvider;
import io.vertx.core.Context;

/** The second runner, a process of its own. It tells its times at its end, in two lines. */
public final class OtherProcess implements AutoCloseable {

    private final Process process;

    private OtherProcess(Process process) {
        this.process = process;
    }

    static OtherProcess start(int redisPort, int rounds) throws IOException {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m", "-Djava.util.logging.manager=org.jboss.logmanager.LogManager"));
        String path = System.getProperty("java.class.path");
        command.addAll(path.endsWith("quarkus-run.jar") ? List.of("-jar", path)
                : List.of("-cp", path, Benchmarks.class.getName()));
        command.addAll(List.of(Integer.toString(redisPort), Integer.toString(rounds)));
        return new OtherProcess(new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
    }

    /**
     * What the process does.
     *
     * @param redisPort where Redis is
     * @param rounds how often to take the permit
     */
    public static void run(int redisPort, int rounds) throws Exception {
        // What Quarkus does at its start.
        BlockingOperationControl.setIoThreadDetector(new IOThreadDetector[] { Context::isOnEventLoopThread });
        SmallRyeContextManagerProvider.getManager();
        BenchmarkEnvironment environment = BenchmarkEnvironment.ofProcess(redisPort);
        try (OwnApplication application = new OwnApplication(OwnStore.script(environment), environment.vertx())) {
            Relay relay = new Relay(application);
            relay.run(rounds, true);
            System.out.println(line(relay.taken()));
            System.out.println(line(relay.givenBack()));
        }
        System.exit(0);
    }

    private static String line(List<Long> times) {
        return times.stream().map(String::valueOf).collect(Collectors.joining(" "));
    }

    /** Its times: when it took the permit, and when it gave it back. */
    List<List<Long>> times() throws IOException {
        try (BufferedReader output = process.inputReader()) {
            return List.of(times(output.readLine()), times(output.readLine()));
        }
    }

    private static List<Long> times(String line) {
        if (line == null) {
            throw new IllegalStateException("The other process has ended without an answer");
        }
        return Stream.of(line.split(" ")).map(Long::valueOf).toList();
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
