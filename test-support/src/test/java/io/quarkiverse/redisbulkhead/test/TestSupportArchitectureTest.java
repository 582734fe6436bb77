package io.quarkiverse.redisbulkhead.test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import org.junit.jupiter.api.Test;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;

/** Users' tests get nothing with it but what their application has anyway, and it knows no more than they may know. */
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

    /** What stands in front of the store is in the application, and the rest of the test support is not. */
    @Test
    void storeDoesNotDependOnTests() {
        noClasses().that().resideInAPackage(INSIDE).should().dependOnClassesThat().resideInAPackage(API + ".test")
                .check(classes);
    }
}
