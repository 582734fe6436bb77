package io.quarkiverse.redisbulkhead.deployment.validation;

import jakarta.inject.Singleton;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkus.test.QuarkusUnitTest;

class BeanRuleTest {

    private static final String NO_BEAN = " is no bean, so @RedisBulkhead guards nothing here. ";

    @RegisterExtension
    static final QuarkusUnitTest APPLICATION = Reported.mistakes(BeanRuleTest.class,
            new Class<?>[] { Plain.class, PlainClass.class, Abstract.class, Inner.class, Port.class, Whole.class, Adapter.class,
                    Guarded.class, Constructors.class },
            "Abstract#guarded: Abstract" + NO_BEAN + "It is abstract, and no bean inherits from it",
            "Constructors#guarded: Constructors" + NO_BEAN
                    + "It has several constructors: mark one with @Inject, or add one without parameters",
            "Guarded: @RedisBulkhead does not work on annotation types. Put it on the class or method itself",
            "Inner#guarded: Inner" + NO_BEAN + "An inner, local or anonymous class cannot be a bean: make it static or a class"
                    + " of its own, and add a scope such as @ApplicationScoped",
            "Plain#guarded: Plain" + NO_BEAN + "Add a scope such as @ApplicationScoped",
            "PlainClass: PlainClass" + NO_BEAN + "Add a scope such as @ApplicationScoped",
            "Port#abstractly: CDI does not inherit interceptor bindings from interface methods, so @RedisBulkhead guards nothing"
                    + " here (REST clients excepted, and this is none). Put it on the implementing method",
            "Port#byDefault: CDI does not inherit interceptor bindings from interface methods, so @RedisBulkhead guards nothing"
                    + " here (REST clients excepted, and this is none). Put it on the implementing method",
            "Whole: an interface is no bean, so @RedisBulkhead guards nothing here (REST clients excepted, and this is none)."
                    + " Put it on the implementing class");

    @Test
    void annotationsOnClassesThatAreNoBeansFailTheBuild() {
        Assertions.fail();
    }

    static class Plain {

        @RedisBulkhead(name = "a", permits = 1)
        void guarded() {
        }
    }

    @RedisBulkhead(name = "a", permits = 1)
    static class PlainClass {

        void guarded() {
        }
    }

    abstract static class Abstract {

        @RedisBulkhead(name = "a", permits = 1)
        void guarded() {
        }
    }

    class Inner {

        @RedisBulkhead(name = "a", permits = 1)
        void guarded() {
        }
    }

    interface Port {

        @RedisBulkhead(name = "a", permits = 1)
        void abstractly();

        @RedisBulkhead(name = "a", permits = 1)
        default void byDefault() {
        }
    }

    @RedisBulkhead(name = "a", permits = 1)
    interface Whole {

        void guarded();
    }

    @Singleton
    static class Adapter implements Port, Whole {

        @Override
        public void abstractly() {
        }

        @Override
        public void guarded() {
        }
    }

    @RedisBulkhead(name = "a", permits = 1)
    @interface Guarded {
    }

    @Singleton
    static class Constructors {

        Constructors(Adapter adapter) {
        }

        Constructors(Adapter adapter, Port port) {
        }

        @RedisBulkhead(name = "a", permits = 1)
        void guarded() {
        }
    }
}
