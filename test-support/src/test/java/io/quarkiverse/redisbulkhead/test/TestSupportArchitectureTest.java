package io.quarkiverse.redisbulkhead.test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import org.junit.jupiter.api.Test;

import com.tngtech.archunit.core.importer.ClassFileImporter;

/** Users' tests get nothing with it but what their application has anyway, and it knows no more than they may know. */
class TestSupportArchitectureTest {

    private static final String API = "io.quarkiverse.redisbulkhead";

    @Test
    void onlyThePublicApiIsUsed() {
        classes().should().onlyDependOnClassesThat().resideInAnyPackage("java..", API, API + ".test",
                "org.eclipse.microprofile.faulttolerance.exceptions", "io.smallrye.mutiny..")
                .check(new ClassFileImporter()
                        .importUrl(TestBulkhead.class.getProtectionDomain().getCodeSource().getLocation()));
    }
}
