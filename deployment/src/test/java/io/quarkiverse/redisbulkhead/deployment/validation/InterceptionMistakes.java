package io.quarkiverse.redisbulkhead.deployment.validation;

import jakarta.annotation.PostConstruct;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Singleton;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.deployment.validation.elsewhere.ClosedParameterBase;
import io.quarkiverse.redisbulkhead.runtime.RedisBulkheadInterceptor.RedisBulkheadBinding;

/** Trap 17: private, static and final methods fail the build. */
final class InterceptionMistakes {

    static final Mistakes ALL = new Mistakes(InterceptionMistakes.class,
            new Class<?>[] { Empty.class, Base.class, Sub.class, Closed.class, ClosedParameterBase.class, Methods.class,
                    Whole.class, Reports.class },
            "RBH012 Base#abstractly: CDI does not inherit interceptor bindings from abstract methods, so @RedisBulkhead guards"
                    + " nothing here. Put it on the implementing method",
            "RBH012 Empty: @RedisBulkhead on the class guards nothing: the class has no business method without its "
                    + "own annotation. Remove it, or put it on a class that has such a method",
            "RBH010 Methods#guardedFinal: the method is final and cannot be guarded by @RedisBulkhead. Make it non-final",
            "RBH010 Methods#guardedPrivate: the method is private and cannot be guarded by @RedisBulkhead."
                    + " Make it package-private or more visible",
            "RBH010 Methods#guardedStatic: the method is static and cannot be guarded by @RedisBulkhead."
                    + " Make it an instance method of a bean",
            "RBH013 Reports#render: @RedisBulkheadBinding names no bulkhead and is internal. Use @RedisBulkhead",
            "RBH012 Sub#created: the container calls this method without interceptors, so @RedisBulkhead guards "
                    + "nothing here. Put it on a business method",
            "RBH034 Sub#overridden: it overrides Base#overridden, which has @RedisBulkhead(name = \"base\"), and has no"
                    + " annotation itself. Annotations of methods are not inherited, so its calls would take no permit. Repeat"
                    + " the annotation, or add @Unguarded if that is intended",
            "RBH010 Whole#guardedFinal: the method is final and cannot be guarded, but @RedisBulkhead on Whole covers it."
                    + " Make it non-final, or annotate the other methods one by one instead of the class",
            "RBH012 " + ClosedParameterBase.class.getName()
                    + "#guarded: the container does not intercept this method, so @RedisBulkhead"
                    + " guards nothing here. Make sure that the types of its parameters are public");

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
    @RedisBulkhead(name = "half-intercepted", permits = 1)
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

    @Singleton
    static class Reports {
        @RedisBulkheadBinding
        void render() {
        }
    }
}
