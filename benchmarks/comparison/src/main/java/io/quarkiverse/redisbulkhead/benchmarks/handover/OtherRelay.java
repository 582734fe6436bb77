package io.quarkiverse.redisbulkhead.benchmarks.handover;

import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.quarkiverse.redisbulkhead.benchmarks.contender.BenchmarkEnvironment;
import io.quarkiverse.redisbulkhead.benchmarks.contender.OwnApplication;
import io.quarkiverse.redisbulkhead.benchmarks.contender.OwnStore;
import io.quarkiverse.redisbulkhead.benchmarks.process.Dialogue;
import io.quarkiverse.redisbulkhead.benchmarks.process.OtherProcess;
import io.quarkiverse.redisbulkhead.benchmarks.process.Role;

/** The second runner, in a process of its own. It tells its times at its end, in two lines. */
public final class OtherRelay implements Role {

    static OtherProcess start(BenchmarkEnvironment environment, int rounds) throws IOException {
        return OtherProcess.start(environment, OtherRelay.class, Integer.toString(rounds));
    }

    @Override
    public void run(BenchmarkEnvironment environment, List<String> arguments, Dialogue starter) throws Exception {
        try (OwnApplication application = new OwnApplication(OwnStore.script(environment), environment.vertx())) {
            Relay relay = new Relay(application);
            relay.run(Integer.parseInt(arguments.get(0)), true);
            starter.send(line(relay.taken()));
            starter.send(line(relay.givenBack()));
        }
    }

    private static String line(List<Long> times) {
        return times.stream().map(String::valueOf).collect(Collectors.joining(" "));
    }

    /** Its times: when it took the permit, or when it gave it back. */
    static List<Long> times(OtherProcess process) throws IOException {
        return Stream.of(process.dialogue().answer().split(" ")).map(Long::valueOf).toList();
    }
}
