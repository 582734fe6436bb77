package io.quarkiverse.redisbulkhead.benchmarks.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.redisbulkhead.benchmarks.Benchmarks;
import io.quarkiverse.redisbulkhead.benchmarks.contender.BenchmarkEnvironment;
import io.quarkus.runtime.BlockingOperationControl;
import io.quarkus.runtime.IOThreadDetector;
import io.smallrye.context.SmallRyeContextManagerProvider;
import io.vertx.core.Context;

/** A process without an application that takes part in a measurement. */
public final class OtherProcess implements AutoCloseable {

    private final Process process;
    private final Dialogue dialogue;

    private OtherProcess(Process process) {
        this.process = process;
        this.dialogue = new Dialogue(process.inputReader(), new PrintWriter(process.outputWriter()));
    }

    /**
     * Starts one.
     *
     * @param environment the one of this process
     * @param role what it does
     * @param arguments for that
     */
    public static OtherProcess start(BenchmarkEnvironment environment, Class<? extends Role> role, String... arguments)
            throws IOException {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m", "-Djava.util.logging.manager=org.jboss.logmanager.LogManager"));
        String path = System.getProperty("java.class.path");
        command.addAll(path.endsWith("quarkus-run.jar") ? List.of("-jar", path)
                : List.of("-cp", path, Benchmarks.class.getName()));
        command.addAll(List.of(role.getName(), Integer.toString(environment.redis().port())));
        command.addAll(List.of(arguments));
        return new OtherProcess(new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
    }

    /**
     * What the process does.
     *
     * @param arguments the class of its role, where Redis is, and what the role was given
     */
    public static void run(List<String> arguments) throws Exception {
        // What Quarkus does at its start.
        BlockingOperationControl.setIoThreadDetector(new IOThreadDetector[] { Context::isOnEventLoopThread });
        SmallRyeContextManagerProvider.getManager();
        Role role = (Role) Class.forName(arguments.get(0)).getDeclaredConstructor().newInstance();
        role.run(BenchmarkEnvironment.ofProcess(Integer.parseInt(arguments.get(1))), arguments.subList(2, arguments.size()),
                new Dialogue(new BufferedReader(new InputStreamReader(System.in)), new PrintWriter(System.out)));
        System.exit(0);
    }

    /** The dialogue with its role. */
    public Dialogue dialogue() {
        return dialogue;
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
