package io.quarkiverse.redisbulkhead.faults.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Finds all scenarios, including those that a run excludes. */
final class AllScenarios {

    private static final String PACKAGE = "io.quarkiverse.redisbulkhead.faults.scenarios";
    private static final Path FOLDER = Path.of("target", "test-classes", PACKAGE.replace('.', '/'));

    private AllScenarios() {
    }

    static List<Scenario> find() {
        List<Scenario> all = new ArrayList<>();
        try (DirectoryStream<Path> classes = Files.newDirectoryStream(FOLDER, "*Test.class")) {
            for (Path file : classes) {
                Class<?> test = Class.forName(PACKAGE + "." + file.getFileName().toString().replace(".class", ""));
                for (Method method : test.getDeclaredMethods()) {
                    if (method.isAnnotationPresent(Scenario.class)) {
                        all.add(method.getAnnotation(Scenario.class));
                    }
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
        if (all.isEmpty()) {
            throw new IllegalStateException("There are no scenarios in " + FOLDER);
        }
        return all;
    }

    /** How many rows the table of all of them has. */
    static int rows() {
        return find().stream().mapToInt(scenario -> scenario.stores().length).sum();
    }
}
