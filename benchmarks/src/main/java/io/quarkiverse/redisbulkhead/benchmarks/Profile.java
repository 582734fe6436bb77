package io.quarkiverse.redisbulkhead.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.ParseException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import jdk.jfr.Configuration;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordingFile;

/** Records with JDK Flight Recorder where the JVM spends its time, and prints the methods that were met most often. */
final class Profile implements AutoCloseable {

    private static final Path FILE = Path.of("target", "benchmarks.jfr");
    private static final int SHOWN = 30;
    private static final double PERCENT = 100;

    // What the JVM calls samples of code in Java, and in native methods such as a write to a socket.
    private static final List<String> SAMPLES = List.of("jdk.ExecutionSample", "jdk.NativeMethodSample");

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
        Map<String, Integer> samples = new HashMap<>();
        int all = 0;
        try (RecordingFile file = new RecordingFile(FILE)) {
            while (file.hasMoreEvents()) {
                RecordedEvent event = file.readEvent();
                if (SAMPLES.contains(event.getEventType().getName()) && event.getStackTrace() != null) {
                    all++;
                    samples.merge(name(event.getStackTrace().getFrames().get(0)), 1, Integer::sum);
                }
            }
        }
        System.out.printf("%n%,d samples, in %s%n", all, FILE);
        double total = all;
        samples.entrySet().stream().sorted(Map.Entry.comparingByValue(Comparator.reverseOrder())).limit(SHOWN)
                .forEach(entry -> System.out.printf("%6.1f %%  %s%n", PERCENT * entry.getValue() / total, entry.getKey()));
    }

    private static String name(RecordedFrame frame) {
        return frame.getMethod().getType().getName() + "#" + frame.getMethod().getName();
    }
}
