package io.quarkiverse.redisbulkhead.faults.harness;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContextProvider;

import io.quarkiverse.redisbulkhead.faults.harness.ScenarioTable.Figures;

/** Runs a {@link Scenario} with each store, as often as configured. */
final class ScenarioExtension implements TestTemplateInvocationContextProvider {

    private static final int TIMES = Integer.getInteger("faults.repeat", 1);
    private static final List<Store> STORES = Arrays.stream(System.getProperty("faults.stores", "script").split(","))
            .map(store -> Store.valueOf(store.toUpperCase(Locale.ROOT))).toList();

    @Override
    public boolean supportsTestTemplate(ExtensionContext context) {
        return true;
    }

    @Override
    public boolean mayReturnZeroTestTemplateInvocationContexts(ExtensionContext context) {
        return true;
    }

    @Override
    public Stream<TestTemplateInvocationContext> provideTestTemplateInvocationContexts(ExtensionContext context) {
        Scenario scenario = context.getRequiredTestMethod().getAnnotation(Scenario.class);
        return Arrays.stream(scenario.stores()).filter(STORES::contains)
                .flatMap(store -> IntStream.rangeClosed(1, TIMES).mapToObj(round -> new Run(scenario, store, round)));
    }

    /** One run, which begins when JUnit resolves the stage parameter. */
    private record Run(Scenario scenario, Store store, int round) implements TestTemplateInvocationContext {

        @Override
        public String getDisplayName(int invocationIndex) {
            return scenario.value() + ", store=" + store.configured() + ", round " + round;
        }

        @Override
        public List<Extension> getAdditionalExtensions() {
            return List.of(new StageHand(this));
        }
    }

    /** Creates the stage, and judges and closes it after the test. */
    private static final class StageHand implements ParameterResolver, AfterTestExecutionCallback {

        private final Run run;
        private Stage stage;

        private StageHand(Run run) {
            this.run = run;
        }

        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
            return parameter.getParameter().getType() == Stage.class;
        }

        @Override
        public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
            stage = new Stage(context.getRequiredTestMethod().getName() + "-" + run.store().configured(), run.store());
            return stage;
        }

        @Override
        public void afterTestExecution(ExtensionContext context) {
            try (Stage ended = stage) {
                if (context.getExecutionException().isPresent()) {
                    ended.printOutput();
                    return;
                }
                try {
                    Figures figures = ended.judge();
                    ScenarioTable.add(context.getRequiredTestClass(), run.scenario(), run.store(), figures);
                } catch (AssertionError | RuntimeException e) {
                    ended.printOutput();
                    throw e;
                }
            }
        }
    }
}
