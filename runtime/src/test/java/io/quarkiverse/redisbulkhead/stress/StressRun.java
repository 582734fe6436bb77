package io.quarkiverse.redisbulkhead.stress;

import static org.junit.platform.engine.discovery.ClassNameFilter.excludeClassNamePatterns;
import static org.junit.platform.engine.discovery.ClassNameFilter.includeClassNamePatterns;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectPackage;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/**
 * Repeats the tests that depend on time, concurrency or servers while busy threads occupy all processors. The profile
 * {@code stress} runs it.
 * <p>
 * System properties: {@code stress.repeat} (rounds), {@code stress.loops} (busy threads), {@code stress.classes} (regular
 * expression for the names of test classes). Failures are printed and written to {@code target/stress.md}. The exit code is 1
 * if a test failed or none ran.
 */
public final class StressRun {

    private static final String TESTED = "io.quarkiverse.redisbulkhead.runtime";
    /** Tests with generated input are slow and do not depend on time. */
    private static final String GENERATED = ".*PropertyTest";
    private static final int MOST_STACK_LINES = 20;

    private StressRun() {
    }

    public static void main(String[] args) throws IOException {
        startBusyLoops(Integer.getInteger("stress.loops", 2 * Runtime.getRuntime().availableProcessors()));
        Path file = Path.of("target", "stress.md");
        Files.createDirectories(file.getParent());
        boolean passed = true;
        try (PrintWriter report = new PrintWriter(file.toFile())) {
            for (int round = 1; round <= Integer.getInteger("stress.repeat", 5); round++) {
                report.println("# Round " + round);
                TestExecutionSummary summary = run();
                for (PrintWriter each : new PrintWriter[] { report, new PrintWriter(System.out) }) {
                    summary.printFailuresTo(each, MOST_STACK_LINES);
                    summary.printTo(each);
                }
                passed &= summary.getTestsSucceededCount() > 0 && summary.getTotalFailureCount() == 0;
            }
        }
        // Tests may leave threads behind.
        System.exit(passed ? 0 : 1);
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

    private static TestExecutionSummary run() {
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request().selectors(selectPackage(TESTED))
                .filters(includeClassNamePatterns(System.getProperty("stress.classes")),
                        excludeClassNamePatterns(GENERATED))
                .build();
        SummaryGeneratingListener summary = new SummaryGeneratingListener();
        LauncherFactory.create().execute(request, summary);
        return summary.getSummary();
    }
}
