package io.quarkiverse.redisbulkhead.test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import org.junit.jupiter.api.Test;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;

/** The test support adds no dependencies to users' tests, and uses only the public API. */
class TestSupportArchitectureTest {

    private static final String API = "io.quarkiverse.redisbulkhead";

    private static final String INSIDE = API + ".test.runtime";

    private final JavaClasses classes = new ClassFileImporter()
            .importUrl(TestBulkhead.class.getProtectionDomain().getCodeSource().getLocation());

    @Test
    void usesOnlyThePublicApi() {
        classes().that().resideInAPackage(API + ".test").should().onlyDependOnClassesThat().resideInAnyPackage("java..", API,
                API + ".test", INSIDE, "org.eclipse.microprofile.faulttolerance.exceptions", "io.smallrye.mutiny..",
                "io.quarkus.arc").check(classes);
    }

    /** The simulated store is part of the application; the rest of the test support is not. */
    @Test
    void storeDoesNotDependOnTests() {
        noClasses().that().resideInAPackage(INSIDE).should().dependOnClassesThat().resideInAPackage(API + ".test")
                .check(classes);
    }
}
