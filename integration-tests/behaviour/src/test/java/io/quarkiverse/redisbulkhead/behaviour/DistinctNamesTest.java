package io.quarkiverse.redisbulkhead.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.runtime.definition.Declarations;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.BulkheadDeclaration;
import io.quarkus.test.junit.QuarkusTest;

/** All test classes share one application, so two bulkheads of the same name would be one. */
@QuarkusTest
class DistinctNamesTest {

    @Inject
    Declarations declarations;

    @Test
    void noTwoTestClassesDeclareTheSameBulkhead() {
        Map<String, Set<String>> classes = new TreeMap<>();
        for (BulkheadDeclaration declaration : declarations.bulkheads()) {
            String testClass = declaration.location().substring(0, declaration.location().indexOf('$'));
            classes.computeIfAbsent(declaration.name(), name -> new TreeSet<>()).add(testClass);
        }
        assertThat(classes).isNotEmpty().allSatisfy((name, declaring) -> assertThat(declaring).as(name).hasSize(1));
    }
}
