package io.quarkiverse.redisbulkhead.benchmarks;

import java.util.List;

import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Parts measure for a moment. */
public final class ShortRounds implements BeforeEachCallback, AfterEachCallback {

    private static final List<String> TIMES = List.of("benchmarks.round-millis", "benchmarks.warm-up-millis");
    private static final String NUMBER = "benchmarks.rounds";

    @Override
    public void beforeEach(ExtensionContext context) {
        TIMES.forEach(time -> System.setProperty(time, "200"));
        System.setProperty(NUMBER, "1");
    }

    @Override
    public void afterEach(ExtensionContext context) {
        TIMES.forEach(System::clearProperty);
        System.clearProperty(NUMBER);
    }
}
