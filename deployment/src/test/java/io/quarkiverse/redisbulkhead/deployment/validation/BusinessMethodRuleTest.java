package io.quarkiverse.redisbulkhead.deployment.validation;

import jakarta.annotation.PostConstruct;
import jakarta.inject.Singleton;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.deployment.validation.elsewhere.ClosedParameterBase;
import io.quarkus.test.QuarkusUnitTest;

class BusinessMethodRuleTest {

    @RegisterExtension
    static final QuarkusUnitTest APPLICATION = Reported.mistakes(BusinessMethodRuleTest.class,
            new Class<?>[] { Empty.class, Base.class, Sub.class, Closed.class, ClosedParameterBase.class },
            "RBH012 Base#abstractly: CDI does not inherit interceptor bindings from abstract methods, so @RedisBulkhead guards nothing"
                    + " here. Put it on the implementing method",
            "RBH012 Empty: @RedisBulkhead on the class guards nothing: the class has no business method without its "
                    + "own annotation. Remove it, or put it on a class that has such a method",
            "RBH012 Sub#created: the container calls this method without interceptors, so @RedisBulkhead guards "
                    + "nothing here. Put it on a business method",
            "RBH034 Sub#overridden: it overrides Base#overridden, which has @RedisBulkhead(name = \"base\"), and has no"
                    + " annotation itself. Annotations of methods are not inherited, so its calls would take no permit. Repeat the"
                    + " annotation, or add @Unguarded if that is intended",
            "RBH012 " + ClosedParameterBase.class.getName()
                    + "#guarded: the container does not intercept this method, so @RedisBulkhead"
                    + " guards nothing here. Make sure that the types of its parameters are public");

    @Test
    void buildFailsForAnnotationsThatGuardNothing() {
        Assertions.fail();
    }

    @Singleton
    @RedisBulkhead(name = "empty", permits = 1)
    static class Empty {

        private void helper() {
        }

        static void staticHelper() {
        }

        @RedisBulkhead(name = "own", permits = 1)
        void ofItsOwn() {
        }
    }

    abstract static class Base {

        @RedisBulkhead(name = "base", permits = 1)
        abstract void abstractly();

        @RedisBulkhead(name = "base", permits = 1)
        void overridden() {
        }
    }

    @Singleton
    static class Sub extends Base {

        @Override
        void abstractly() {
        }

        @Override
        void overridden() {
        }

        @PostConstruct
        @RedisBulkhead(name = "base", permits = 1)
        void created() {
        }
    }

    @Singleton
    static class Closed extends ClosedParameterBase {
    }
}
