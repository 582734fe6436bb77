package io.quarkiverse.redisbulkhead.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.ParseException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import jdk.jfr.Configuration;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordingFile;

/**
 * Records with JDK Flight Recorder where the JVM spends its time, and prints the libraries and methods that were met most
 * often.
 */
final class Profile implements AutoCloseable {

    private static final Path FILE = Path.of("target", "benchmarks.jfr");
    private static final int SHOWN = 30;
    private static final int PARTS_OF_LIBRARY = 3;
    private static final double PERCENT = 100;

    // What the JVM calls samples of code in Java, and in native methods such as a write to a socket.
    private static final List<String> SAMPLES = List.of("jdk.ExecutionSample", "jdk.NativeMethodSample");

    // Threads that have nothing to do are met there.
    private static final Set<String> WAITING = Set.of("sun.nio.ch.EPoll#wait",
            "java.lang.ProcessHandleImpl#waitForProcessExit0");

    private final Recording recording;

    private Profile(Recording recording) {
        this.recording = recording;
    }

    static Profile start() throws IOException, ParseException {
        Recording recording = new Recording(Configuration.getConfiguration("profile"));
        recording.start();
        return new Profile(recording);
    }

    @Override
    public void close() throws IOException {
        recording.stop();
        Files.createDirectories(FILE.getParent());
        recording.dump(FILE);
        recording.close();
        print();
    }

    private static void print() throws IOException {
        Map<String, Integer> methods = new HashMap<>();
        Map<String, Integer> libraries = new HashMap<>();
        int all = 0;
        try (RecordingFile file = new RecordingFile(FILE)) {
            while (file.hasMoreEvents()) {
                RecordedEvent event = file.readEvent();
                if (SAMPLES.contains(event.getEventType().getName()) && event.getStackTrace() != null) {
                    RecordedFrame frame = event.getStackTrace().getFrames().get(0);
                    if (!WAITING.contains(name(frame))) {
                        all++;
                        methods.merge(name(frame), 1, Integer::sum);
                        libraries.merge(library(frame), 1, Integer::sum);
                    }
                }
            }
        }
        System.out.printf("%n%,d samples, in %s%n", all, FILE);
        print(libraries, all);
        print(methods, all);
    }

    private static void print(Map<String, Integer> samples, double all) {
        System.out.println();
        samples.entrySet().stream().sorted(Map.Entry.comparingByValue(Comparator.reverseOrder())).limit(SHOWN)
                .forEach(entry -> System.out.printf("%6.1f %%  %s%n", PERCENT * entry.getValue() / all, entry.getKey()));
    }

    private static String library(RecordedFrame frame) {
        return Stream.of(frame.getMethod().getType().getName().split("\\.")).limit(PARTS_OF_LIBRARY)
                .collect(Collectors.joining("."));
    }

    private static String name(RecordedFrame frame) {
        return frame.getMethod().getType().getName() + "#" + frame.getMethod().getName();
    }
}
