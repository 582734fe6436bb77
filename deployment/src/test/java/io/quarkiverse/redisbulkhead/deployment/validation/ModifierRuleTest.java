package io.quarkiverse.redisbulkhead.deployment.validation;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Singleton;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkus.test.QuarkusUnitTest;

class ModifierRuleTest {

    @RegisterExtension
    static final QuarkusUnitTest APPLICATION = Reported.mistakes(ModifierRuleTest.class,
            new Class<?>[] { Methods.class, Whole.class },
            "RBH010 Methods#guardedFinal: the method is final and cannot be guarded by @RedisBulkhead. Make it non-final",
            "RBH010 Methods#guardedPrivate: the method is private and cannot be guarded by @RedisBulkhead."
                    + " Make it package-private or more visible",
            "RBH010 Methods#guardedStatic: the method is static and cannot be guarded by @RedisBulkhead."
                    + " Make it an instance method of a bean",
            "RBH010 Whole#guardedFinal: the method is final and cannot be guarded, but @RedisBulkhead on Whole covers it."
                    + " Make it non-final, or annotate the other methods one by one instead of the class");

    @Test
    @DisplayName("Trap 17: private, static and final methods fail the build")
    void buildFailsForMethodsThatCannotBeIntercepted() {
        Assertions.fail();
    }

    @ApplicationScoped
    static class Methods {

        @RedisBulkhead(name = "methods", permits = 1)
        private void guardedPrivate() {
        }

        @RedisBulkhead(name = "methods", permits = 1)
        static void guardedStatic() {
        }

        @RedisBulkhead(name = "methods", permits = 1)
        final void guardedFinal() {
        }
    }

    @Singleton
    @RedisBulkhead(name = "whole", permits = 1)
    static class Whole {

        void guarded() {
        }

        final void guardedFinal() {
        }

        private void helper() {
        }

        static void staticHelper() {
        }
    }
}
