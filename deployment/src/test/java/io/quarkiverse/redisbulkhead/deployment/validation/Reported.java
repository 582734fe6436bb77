package io.quarkiverse.redisbulkhead.deployment.validation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import jakarta.enterprise.inject.spi.DefinitionException;

import io.quarkiverse.redisbulkhead.runtime.message.MessageCode;
import io.quarkus.test.QuarkusUnitTest;

/** Deploys an application with errors and checks the report, line by line. */
final class Reported {

    private Reported() {
    }

    /**
     * Creates an application whose build must fail.
     *
     * @param test the test class; messages are compared without its name
     * @param classes the classes of the application
     * @param lines all expected errors, in order
     */
    static QuarkusUnitTest mistakes(Class<?> test, Class<?>[] classes, String... lines) {
        return new QuarkusUnitTest()
                .withApplicationRoot(jar -> jar.addClasses(classes))
                .assertException(exactly(test, lines));
    }

    private static Consumer<Throwable> exactly(Class<?> test, String... lines) {
        StringBuilder expected = new StringBuilder("Found " + lines.length + (lines.length == 1 ? " mistake" : " mistakes")
                + " in the use or configuration of @RedisBulkhead:");
        for (int i = 0; i < lines.length; i++) {
            expected.append("\n  ").append(i + 1).append(". ").append(lines[i]);
        }
        expected.append("\n").append(MessageCode.whereExplained(Stream.of(lines)
                .map(line -> MessageCode.valueOf(line.substring(0, 6))).collect(Collectors.toSet())));
        return thrown -> {
            assertThat(thrown).isInstanceOf(DefinitionException.class);
            assertThat(thrown.getMessage().replace(test.getName() + "$", "")).isEqualTo(expected.toString());
        };
    }
}
