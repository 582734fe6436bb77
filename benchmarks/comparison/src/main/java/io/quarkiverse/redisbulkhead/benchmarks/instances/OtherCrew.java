package io.quarkiverse.redisbulkhead.benchmarks.instances;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

import io.quarkiverse.redisbulkhead.benchmarks.contender.BenchmarkEnvironment;
import io.quarkiverse.redisbulkhead.benchmarks.contender.Contender;
import io.quarkiverse.redisbulkhead.benchmarks.contender.Kind;
import io.quarkiverse.redisbulkhead.benchmarks.contender.Limit;
import io.quarkiverse.redisbulkhead.benchmarks.load.BlockingCrew;
import io.quarkiverse.redisbulkhead.benchmarks.load.Crew;
import io.quarkiverse.redisbulkhead.benchmarks.load.Work;
import io.quarkiverse.redisbulkhead.benchmarks.process.Dialogue;
import io.quarkiverse.redisbulkhead.benchmarks.process.OtherProcess;
import io.quarkiverse.redisbulkhead.benchmarks.process.Role;

/** Blocking callers in a process of their own. */
final class OtherCrew implements Crew {

    private final OtherProcess process;

    OtherCrew(BenchmarkEnvironment environment, Kind kind, Limit limit, int callers) throws IOException {
        process = OtherProcess.start(environment, Callers.class, kind.id(), limit.name(), Integer.toString(limit.permits()),
                Integer.toString(callers));
        process.dialogue().answer();
    }

    /** Makes pairs for as many milliseconds as each line says, until there are no more lines. */
    public static final class Callers implements Role {

        @Override
        public void run(BenchmarkEnvironment environment, List<String> arguments, Dialogue starter) throws Exception {
            int callers = Integer.parseInt(arguments.get(3));
            Limit limit = Limit.tight(arguments.get(1), Integer.parseInt(arguments.get(2)));
            try (Contender contender = Kind.of(arguments.get(0)).open(environment, limit, callers);
                    Crew crew = new BlockingCrew(contender, callers, () -> {
                    })) {
                starter.send("ready");
                for (Optional<String> millis = starter.next(); millis.isPresent(); millis = starter.next()) {
                    starter.send(crew.work(Duration.ofMillis(Long.parseLong(millis.get()))).text());
                }
            }
        }
    }

    @Override
    public Work work(Duration duration) {
        process.dialogue().send(Long.toString(duration.toMillis()));
        try {
            return Work.parse(process.dialogue().answer());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        process.close();
    }
}
