package io.quarkiverse.redisbulkhead.deployment.validation;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InterceptorBinding;
import jakarta.interceptor.InvocationContext;

import dev.langchain4j.service.UserMessage;
import io.quarkiverse.langchain4j.RegisterAiService;
import io.quarkiverse.redisbulkhead.RedisBulkhead;

final class BeanMistakes {

    private static final String NO_BEAN = " is not a bean, so @RedisBulkhead guards nothing here. ";

    private static final String PRODUCED = ", and CDI does not intercept what a producer makes, so @RedisBulkhead "
            + "guards nothing here. Make the class itself a bean with a scope such as @ApplicationScoped, put the "
            + "annotation on a bean method that calls it, or acquire permits in code with RedisBulkheads";

    static final Mistakes ALL = new Mistakes(BeanMistakes.class,
            new Class<?>[] { Plain.class, PlainClass.class, Abstract.class, Inner.class, Port.class, Whole.class, Adapter.class,
                    Guarded.class, Constructors.class, Level.class, Audit.class, Audited.class, Produced.class, Producer.class,
                    InField.class,
                    Assistant.class, Silent.class, Unregistered.class, RegisterAiService.class, UserMessage.class },
            "RBH011 Abstract#guarded: Abstract" + NO_BEAN + "It is abstract, and no bean inherits from it",
            "RBH036 Assistant#twice: Quarkus LangChain4j implements the abstract methods of an AI service only, and CDI does"
                    + " not intercept this one, so @RedisBulkhead guards nothing here. Put it on the abstract method, or put"
                    + " @RedisBulkhead on the method of a bean that calls it",
            "RBH011 Audit#around: CDI does not intercept interceptors, so @RedisBulkhead guards nothing here. Put it on a bean"
                    + " method that calls this one",
            "RBH011 Constructors#guarded: Constructors" + NO_BEAN
                    + "It has several constructors: mark one with @Inject, or add one without parameters",
            "RBH011 Guarded: @RedisBulkhead does not work on annotation types. Put it on the class or method itself",
            "RBH011 InField: beans of InField are made by the producer Producer#inField" + PRODUCED,
            "RBH011 Inner#guarded: Inner" + NO_BEAN
                    + "An inner, local or anonymous class cannot be a bean: make it static or a top-level class, and "
                    + "add a scope such as @ApplicationScoped",
            "RBH011 Level#guarded: CDI does not intercept enums, so @RedisBulkhead guards nothing here. Put it on a bean method"
                    + " that calls this one",
            "RBH011 Plain#guarded: Plain" + NO_BEAN + "Add a scope such as @ApplicationScoped",
            "RBH011 PlainClass: PlainClass" + NO_BEAN + "Add a scope such as @ApplicationScoped",
            "RBH011 Port#abstractly: CDI does not inherit interceptor bindings from interface methods, so @RedisBulkhead guards"
                    + " nothing here (only REST clients and AI services are exceptions). Put it on the implementing method",
            "RBH011 Port#byDefault: CDI does not inherit interceptor bindings from interface methods, so @RedisBulkhead guards"
                    + " nothing here (only REST clients and AI services are exceptions). Put it on the implementing method",
            "RBH011 Produced#guarded: beans of Produced are made by the producer Producer#produced" + PRODUCED,
            "RBH036 Silent: @RedisBulkhead on the AI service guards nothing: it has no abstract method without an annotation of"
                    + " its own. Remove it",
            "RBH036 Unregistered#ask: the interface has no @RegisterAiService, so LangChain4j implements it without"
                    + " interceptors, and @RedisBulkhead guards nothing here. Add @RegisterAiService if it is an AI service, or"
                    + " put @RedisBulkhead on the method of a bean that calls it",
            "RBH011 Whole: an interface is not a bean, so @RedisBulkhead guards nothing here (only REST clients and "
                    + "AI services are exceptions). Put it on the implementing class");

    static class Plain {
        @RedisBulkhead(name = "no-bean", permits = 1)
        void guarded() {
        }
    }

    @RedisBulkhead(name = "no-bean", permits = 1)
    static class PlainClass {
        void guarded() {
        }
    }

    abstract static class Abstract {
        @RedisBulkhead(name = "no-bean", permits = 1)
        void guarded() {
        }
    }

    class Inner {
        @RedisBulkhead(name = "no-bean", permits = 1)
        void guarded() {
        }
    }

    interface Port {
        @RedisBulkhead(name = "no-bean", permits = 1)
        void abstractly();

        @RedisBulkhead(name = "no-bean", permits = 1)
        default void byDefault() {
        }
    }

    @RedisBulkhead(name = "no-bean", permits = 1)
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

    @RedisBulkhead(name = "no-bean", permits = 1)
    @interface Guarded {
    }

    @Singleton
    static class Constructors {
        Constructors(Adapter adapter) {
        }

        Constructors(Adapter adapter, Port port) {
        }

        @RedisBulkhead(name = "no-bean", permits = 1)
        void guarded() {
        }
    }

    enum Level {
        HIGH;

        @RedisBulkhead(name = "no-bean", permits = 1)
        void guarded() {
        }
    }

    @InterceptorBinding
    @Retention(RetentionPolicy.RUNTIME)
    @interface Audited {
    }

    @Audited
    @Interceptor
    static class Audit {
        @AroundInvoke
        @RedisBulkhead(name = "no-bean", permits = 1)
        Object around(InvocationContext call) throws Exception {
            return call.proceed();
        }
    }

    static class Produced {
        @RedisBulkhead(name = "no-bean", permits = 1)
        void guarded() {
        }
    }

    @RedisBulkhead(name = "no-bean", permits = 1)
    static class InField {
        void guarded() {
        }
    }

    @Singleton
    static class Producer {
        @Produces
        InField inField = new InField();

        @Produces
        Produced produced() {
            return new Produced();
        }
    }

    @RegisterAiService
    interface Assistant {
        @RedisBulkhead(name = "no-bean", permits = 1)
        default String twice() {
            return "";
        }
    }

    @RegisterAiService
    @RedisBulkhead(name = "no-bean", permits = 1)
    interface Silent {
    }

    interface Unregistered {
        @UserMessage("Why?")
        @RedisBulkhead(name = "no-bean", permits = 1)
        String ask();
    }
}
