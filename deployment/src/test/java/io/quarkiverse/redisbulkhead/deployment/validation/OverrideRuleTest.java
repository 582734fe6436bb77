package io.quarkiverse.redisbulkhead.deployment.validation;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Singleton;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.Unguarded;
import io.quarkus.test.Mock;
import io.quarkus.test.QuarkusUnitTest;

class OverrideRuleTest {

    private static final String WAY_OUT = ", and has no annotation itself. Annotations of methods are not inherited, so its calls"
            + " would take no permit. Repeat the annotation, or add @Unguarded if that is intended";

    @RegisterExtension
    static final QuarkusUnitTest APPLICATION = Reported.mistakes(OverrideRuleTest.class,
            new Class<?>[] { Reports.class, Forgetful.class, Repeating.class, Deliberate.class, BelowDeliberate.class,
                    OfAnotherClass.class, Guarded.class, Whole.class, Generic.class, Bound.class, Mocked.class, Rescued.class },
            "RBH034 Bound#load: it overrides Generic#load, which has @RedisBulkhead(name = \"generic\")" + WAY_OUT,
            "RBH034 Forgetful#render: it overrides Reports#render, which has @RedisBulkhead(name = \"daily\") and"
                    + " @RedisBulkhead(name = \"reports\")" + WAY_OUT,
            "RBH034 Rescued#render: it overrides Repeating#render, which has @RedisBulkhead(name = \"repeated\")" + WAY_OUT,
            "RBH034 Whole#exempt: it has @Unguarded, but @RedisBulkhead on Guarded guards it. @Unguarded only marks a method that"
                    + " overrides a guarded one. Remove one of the two, or annotate the other methods one by one instead of the"
                    + " class");

    @Test
    @DisplayName("Trap 43: a bean that overrides a guarded method and loses the guard fails the build")
    void losingTheGuardFailsTheBuild() {
        Assertions.fail();
    }

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

    /** What it overrides is not guarded. */
    @ApplicationScoped
    static class BelowDeliberate extends Deliberate {

        @Override
        String render() {
            return "";
        }
    }

    /** The annotation of the class covers the method. */
    @ApplicationScoped
    @RedisBulkhead(name = "other", permits = 1)
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

        @RedisBulkhead(name = "generic", permits = 1)
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
}
