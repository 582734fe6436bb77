package io.quarkiverse.redisbulkhead.benchmarks.handover;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.quarkiverse.redisbulkhead.benchmarks.contender.OwnApplication;
import io.quarkiverse.redisbulkhead.benchmarks.contender.OwnStore;
import io.quarkiverse.redisbulkhead.benchmarks.contender.Surroundings;

/** The second runner, a process of its own. It tells its times at its end, in two lines. */
public final class OtherProcess implements AutoCloseable {

    private final Process process;

    private OtherProcess(Process process) {
        this.process = process;
    }

    static OtherProcess start(int redisPort, int rounds) throws IOException {
        return new OtherProcess(new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-Djava.util.logging.manager=org.jboss.logmanager.LogManager", "-cp", System.getProperty("java.class.path"),
                OtherProcess.class.getName(), Integer.toString(redisPort), Integer.toString(rounds))
                .redirectError(ProcessBuilder.Redirect.INHERIT).start());
    }

    /**
     * What the process does.
     *
     * @param args the port of Redis, and how often to take the permit
     */
    public static void main(String[] args) throws Exception {
        try (Surroundings surroundings = Surroundings.join(Integer.parseInt(args[0]));
                OwnApplication application = new OwnApplication(OwnStore.script(surroundings), surroundings.vertx())) {
            Relay relay = new Relay(application);
            relay.run(Integer.parseInt(args[1]), true);
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
