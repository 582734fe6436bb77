package io.quarkiverse.redisbulkhead.stress;

import static org.junit.platform.engine.discovery.ClassNameFilter.excludeClassNamePatterns;
import static org.junit.platform.engine.discovery.ClassNameFilter.includeClassNamePatterns;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectPackage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Repeats the tests that depend on time, concurrency or servers while busy threads occupy all processors, and counts failures
 * per test. The profile {@code stress} runs it.
 * <p>
 * System properties: {@code stress.repeat} (rounds), {@code stress.loops} (busy threads), {@code stress.classes} (regular
 * expression for the names of test classes). The table is printed and written to {@code target/stress.md}. The exit code is 1
 * if a test failed or none ran.
 */
public final class StressRun {

    private static final String TESTED = "io.quarkiverse.redisbulkhead.runtime";
    /** Tests with generated input are slow and do not depend on time. */
    private static final String GENERATED = ".*(ModelTest|PropertyTest|ManyKeysTest)";

    /** Runs and failures of a test or class, and its first failure. */
    private static final class Tally {
        private int runs;
        private int failures;
        private String first = "";
    }

    private final Map<String, Tally> tallies = new TreeMap<>();

    private StressRun() {
    }

    public static void main(String[] args) throws IOException {
        StressRun run = new StressRun();
        startBusyLoops(Integer.getInteger("stress.loops", 2 * Runtime.getRuntime().availableProcessors()));
        run.repeat(Integer.getInteger("stress.repeat", 5));
        // Tests may leave threads behind.
        System.exit(run.report(Path.of("target", "stress.md")) ? 0 : 1);
    }

    private static void startBusyLoops(int loops) {
        for (int i = 0; i < loops; i++) {
            Thread loop = new Thread(() -> {
                while (true) {
                    Thread.onSpinWait();
                }
            }, "busy loop " + i);
            loop.setDaemon(true);
            loop.start();
        }
    }

    private void repeat(int rounds) {
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request().selectors(selectPackage(TESTED))
                .filters(includeClassNamePatterns(System.getProperty("stress.classes")),
                        excludeClassNamePatterns(GENERATED))
                .build();
        Launcher launcher = LauncherFactory.create();
        for (int round = 1; round <= rounds; round++) {
            long start = System.nanoTime();
            launcher.execute(request, new TestExecutionListener() {
                @Override
                public void executionFinished(TestIdentifier test, TestExecutionResult result) {
                    count(test, result);
                }
            });
            System.out.printf("Round %d of %d took %d s%n", round, rounds, (System.nanoTime() - start) / 1_000_000_000);
        }
    }

    /** Counts tests, and classes whose setup or cleanup failed. */
    private synchronized void count(TestIdentifier test, TestExecutionResult result) {
        boolean failed = result.getStatus() == Status.FAILED;
        if (!test.isTest() && !failed) {
            return;
        }
        Tally tally = tallies.computeIfAbsent(nameOf(test), name -> new Tally());
        tally.runs++;
        if (failed) {
            tally.failures++;
            String failure = result.getThrowable().map(Throwable::toString).orElse("");
            if (tally.first.isEmpty()) {
                tally.first = failure;
            }
            result.getThrowable().ifPresent(Throwable::printStackTrace);
        }
    }

    private static String nameOf(TestIdentifier test) {
        return test.getSource().map(source -> {
            if (source instanceof MethodSource method) {
                return simple(method.getClassName()) + "." + method.getMethodName();
            }
            return source instanceof ClassSource type ? simple(type.getClassName()) : test.getDisplayName();
        }).orElse(test.getDisplayName());
    }

    private static String simple(String className) {
        return className.substring(className.lastIndexOf('.') + 1);
    }

    /** Returns whether tests ran and all passed. */
    private boolean report(Path file) throws IOException {
        int runs = tallies.values().stream().mapToInt(tally -> tally.runs).sum();
        List<String> lines = new ArrayList<>();
        lines.add("| test | runs | failures | first failure |");
        lines.add("|---|---|---|---|");
        tallies.entrySet().stream().filter(entry -> entry.getValue().failures > 0)
                .sorted(Comparator.comparing(entry -> -entry.getValue().failures))
                .forEach(entry -> lines.add("| `%s` | %d | %d | %s |".formatted(entry.getKey(), entry.getValue().runs,
                        entry.getValue().failures, inOneCell(entry.getValue().first))));
        lines.add("");
        lines.add("%d runs of %d tests.".formatted(runs, tallies.size()));
        Files.createDirectories(file.getParent());
        Files.write(file, lines);
        lines.forEach(System.out::println);
        return runs > 0 && tallies.values().stream().allMatch(tally -> tally.failures == 0);
    }

    private static String inOneCell(String text) {
        String line = text.strip().replaceAll("\\s+", " ").replace("|", "\\|");
        return line.length() <= 200 ? line : line.substring(0, 200) + "…";
    }
}
