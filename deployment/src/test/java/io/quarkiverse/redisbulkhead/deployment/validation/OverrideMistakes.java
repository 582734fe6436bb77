package io.quarkiverse.redisbulkhead.deployment.validation;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Singleton;

import io.quarkiverse.langchain4j.RegisterAiService;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.Unguarded;
import io.quarkiverse.redisbulkhead.deployment.validation.elsewhere.PackagePrivateBase;
import io.quarkiverse.redisbulkhead.deployment.validation.elsewhere.Widening;
import io.quarkus.test.Mock;

/** Trap 43: a bean that overrides a guarded method and loses the guard fails the build. */
final class OverrideMistakes {

    private static final String WAY_OUT = ", and has no annotation itself. Annotations of methods are not inherited, so its"
            + " calls would take no permit. Repeat the annotation, or add @Unguarded if that is intended";

    private static final String ELSEWHERE = "io.quarkiverse.redisbulkhead.deployment.validation.elsewhere.";

    static final Mistakes ALL = new Mistakes(OverrideMistakes.class,
            new Class<?>[] { Reports.class, Forgetful.class, Repeating.class, Deliberate.class, BelowDeliberate.class,
                    OfAnotherClass.class, Guarded.class, Whole.class, Generic.class, Bound.class, Mocked.class, Rescued.class,
                    OwnMethod.class, PackagePrivateBase.class, Widening.class, BelowWidening.class, Questions.class,
                    Plain.class,
                    Plain$$QuarkusImpl.class, Assistant.class, Assistant$$QuarkusImpl.class },
            "RBH034 Assistant#answer: it overrides Questions#answer, which has @RedisBulkhead(name = \"model\")" + WAY_OUT,
            "RBH034 BelowWidening#pack: it overrides " + ELSEWHERE + "PackagePrivateBase#pack, which has @RedisBulkhead(name ="
                    + " \"pack\")" + WAY_OUT,
            "RBH034 Bound#load: it overrides Generic#load, which has @RedisBulkhead(name = \"loaded\")" + WAY_OUT,
            "RBH034 Forgetful#render: it overrides Reports#render, which has @RedisBulkhead(name = \"daily\") and"
                    + " @RedisBulkhead(name = \"reports\")" + WAY_OUT,
            "RBH034 Rescued#render: it overrides Repeating#render, which has @RedisBulkhead(name = \"repeated\")" + WAY_OUT,
            "RBH034 Whole#exempt: it has @Unguarded, but @RedisBulkhead on Guarded guards it. @Unguarded only marks a method"
                    + " that overrides a guarded one. Remove one of the two, or annotate the other methods one by one instead"
                    + " of the class",
            "RBH034 " + ELSEWHERE + "Widening#pack: it overrides " + ELSEWHERE + "PackagePrivateBase#pack, which has"
                    + " @RedisBulkhead(name = \"pack\")" + WAY_OUT);

    static class Reports {
        @RedisBulkhead(name = "daily", permits = 1)
        @RedisBulkhead(name = "reports", permits = 1)
        String render() {
            return "";
        }

        @RedisBulkhead(name = "reports", permits = 1)
        String inherited() {
            return "";
        }

        @RedisBulkhead(name = "reports", permits = 1)
        String overloaded(String kind) {
            return kind;
        }
    }

    @ApplicationScoped
    static class Forgetful extends Reports {
        @Override
        String render() {
            return "";
        }

        String overloaded(Integer kind) {
            return "";
        }
    }

    @ApplicationScoped
    static class Repeating extends Reports {
        @Override
        @RedisBulkhead(name = "repeated", permits = 1)
        String render() {
            return "";
        }
    }

    @ApplicationScoped
    static class Rescued extends Repeating {
        @Override
        String render() {
            return "";
        }
    }

    @ApplicationScoped
    static class Deliberate extends Reports {
        @Override
        @Unguarded
        String render() {
            return "";
        }
    }

    /** The overridden method is not guarded. */
    @ApplicationScoped
    static class BelowDeliberate extends Deliberate {
        @Override
        String render() {
            return "";
        }
    }

    /** The annotation of the class covers the method. */
    @ApplicationScoped
    @RedisBulkhead(name = "of-another-class", permits = 1)
    static class OfAnotherClass extends Reports {
        @Override
        String render() {
            return "";
        }
    }

    @RedisBulkhead(name = "inherited-class", permits = 1)
    static class Guarded {
        @RedisBulkhead(name = "reports", permits = 1)
        void render() {
        }
    }

    /** It inherits the annotation of the class, which covers the method. */
    @Singleton
    static class Whole extends Guarded {
        @Override
        void render() {
        }

        @Unguarded
        void exempt() {
        }
    }

    abstract static class Generic<K> {
        @RedisBulkhead(name = "loaded", permits = 1)
        void load(K key) {
        }
    }

    @Singleton
    static class Bound extends Generic<Long> {
        @Override
        void load(Long key) {
        }
    }

    @Mock
    @ApplicationScoped
    static class Mocked extends Reports {
        @Override
        String render() {
            return "mocked";
        }
    }

    /** Another package cannot override a package-private method. */
    @ApplicationScoped
    static class OwnMethod extends PackagePrivateBase {
        void pack() {
        }
    }

    @ApplicationScoped
    static class BelowWidening extends Widening {
        @Override
        public void pack() {
        }
    }

    interface Questions {
        @RedisBulkhead(name = "model", permits = 1)
        String answer(String question);

        @RedisBulkhead(name = "model", permits = 1)
        String inherited(String question);

        @RedisBulkhead(name = "model", permits = 1)
        String exempt(String question);
    }

    @RegisterAiService
    interface Plain extends Questions {
    }

    @RegisterAiService
    interface Assistant extends Questions {
        @Override
        String answer(String question);

        @Override
        @Unguarded
        String exempt(String question);
    }

    /** Named as Quarkus LangChain4j names what it generates. */
    @Singleton
    static class Plain$$QuarkusImpl implements Plain {
        @Override
        public String answer(String question) {
            return question;
        }

        @Override
        public String inherited(String question) {
            return question;
        }

        @Override
        public String exempt(String question) {
            return question;
        }
    }

    @Singleton
    static class Assistant$$QuarkusImpl implements Assistant {
        @Override
        public String answer(String question) {
            return question;
        }

        @Override
        public String inherited(String question) {
            return question;
        }

        @Override
        public String exempt(String question) {
            return question;
        }
    }
}
