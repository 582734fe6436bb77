package io.quarkiverse.redisbulkhead.faults.harness;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test that breaks something, with a {@link Stage} as its parameter. It runs with each store that {@code -Dfaults.stores}
 * names, as often as {@code -Dfaults.repeat} says. Each run ends with the {@link FinalJudgement}.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@TestTemplate
@ExtendWith(ScenarioExtension.class)
public @interface Scenario {

    /** The fault, in a few words; unique for each store. */
    String value();

    /** The expected result, in addition to what the {@link Checker} demands of every history. Written before the first run. */
    String expected();

    /** The stores to which it applies. */
    Store[] stores() default { Store.SCRIPT, Store.LOCK };
}
