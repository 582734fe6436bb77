package io.quarkiverse.redisbulkhead.deployment.validation;

import java.util.concurrent.Future;

import jakarta.enterprise.context.ApplicationScoped;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.common.annotation.NonBlocking;

/** An application with twelve different mistakes shows all of them in one build, each with its number. */
class TwelveMistakesTest {

    @RegisterExtension
    static final QuarkusUnitTest APPLICATION = Reported.mistakes(TwelveMistakesTest.class,
            new Class<?>[] { Reports.class, Helper.class },
            "RBH007 @RedisBulkhead(name = \"reports\"): has different values: permits=5 at Reports#daily; "
                    + "permits=6 at Reports#weekly. State each value in one place, or the same one everywhere, or use different names",
            "RBH011 Helper#help: Helper is not a bean, so @RedisBulkhead guards nothing here. Add a scope such as "
                    + "@ApplicationScoped",
            "RBH023 Reports#brief: @RedisBulkhead(name = \"brief\"): expire is PT1S, shorter than three times "
                    + "quarkus.redis-bulkhead.command-timeout, which is PT1S. A lease is renewed after a third of its length, so one "
                    + "slow reply could lose the permit. Make it at least PT3S, or reduce command-timeout",
            "RBH010 Reports#hidden: the method is private and cannot be guarded by @RedisBulkhead."
                    + " Make it package-private or more visible",
            "RBH014 Reports#later: @RedisBulkhead cannot see when an execution of this method ends, because it returns"
                    + " java.util.concurrent.Future<java.lang.String>. Return Uni, Multi, CompletionStage, CompletableFuture, or"
                    + " the plain value",
            "RBH006 Reports#limitless: @RedisBulkhead(name = \"limitless\"): permits is not set. Set it in the "
                    + "annotation, or set quarkus.redis-bulkhead.\"limitless\".permits",
            "RBH001 Reports#nameless: @RedisBulkhead(name = \"\"): name must not be blank, but is ''",
            "RBH015 Reports#onTheEventLoop: @NonBlocking puts this method on an event loop. Remove @NonBlocking, or return Uni,"
                    + " Multi or CompletionStage: the method is synchronous, so @RedisBulkhead would wait for Redis there",
            "RBH003 Reports#soon: @RedisBulkhead(name = \"soon\"): expire must be a duration such as 30s, 500ms or PT30S, but is"
                    + " 'soon'",
            "RBH009 Reports#twice: @RedisBulkhead(name = \"twice\") is present more than once, so each call would "
                    + "take several permits of one bulkhead. Keep one of them, or use different names",
            "RBH005 quarkus.redis-bulkhead.\"reports\".permits: permits must be at least 1, but is -1",
            "RBH025 quarkus.redis-bulkhead.report.permits: no @RedisBulkhead has the name \"report\". Did you mean "
                    + "\"reports\"? Declared: reports, helper, later, soon, brief, hidden, twice, limitless, "
                    + "on-the-event-loop. Nor does any class of the application use SemaphoreSpec to define bulkheads in code")
            .overrideConfigKey("quarkus.redis-bulkhead.report.permits", "3")
            .overrideConfigKey("quarkus.redis-bulkhead.\"reports\".permits", "-1");

    @Test
    void reportsAllMistakesTogether() {
        Assertions.fail();
    }

    @ApplicationScoped
    static class Reports {

        @RedisBulkhead(name = "reports", permits = 5)
        void daily() {
        }

        @RedisBulkhead(name = "reports", permits = 6)
        void weekly() {
        }

        @RedisBulkhead(name = "", permits = 1)
        void nameless() {
        }

        @RedisBulkhead(name = "limitless")
        void limitless() {
        }

        @RedisBulkhead(name = "soon", permits = 1, expire = "soon")
        void soon() {
        }

        @RedisBulkhead(name = "brief", permits = 1, expire = "1s")
        void brief() {
        }

        @RedisBulkhead(name = "twice", permits = 1)
        @RedisBulkhead(name = "twice", permits = 1)
        void twice() {
        }

        @NonBlocking
        @RedisBulkhead(name = "on-the-event-loop", permits = 1)
        void onTheEventLoop() {
        }

        @RedisBulkhead(name = "hidden", permits = 1)
        private void hidden() {
        }

        @RedisBulkhead(name = "later", permits = 1)
        Future<String> later() {
            return null;
        }
    }

    static class Helper {

        @RedisBulkhead(name = "helper", permits = 1)
        void help() {
        }
    }
}
