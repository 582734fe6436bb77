package io.quarkiverse.redisbulkhead.deployment.validation;

import java.util.concurrent.Future;

import jakarta.enterprise.context.ApplicationScoped;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkus.test.QuarkusUnitTest;

/** Whoever has eight mistakes sees all of them after one build. */
class EightMistakesTest {

    @RegisterExtension
    static final QuarkusUnitTest APPLICATION = Reported.mistakes(EightMistakesTest.class,
            new Class<?>[] { Reports.class, Helper.class },
            "@RedisBulkhead(name = \"reports\"): has different values:"
                    + " permits=5, fair=false, expire=30s, maxWait=0s at Reports#daily;"
                    + " permits=6, fair=false, expire=30s, maxWait=0s at Reports#weekly."
                    + " State the same values at every place (permits may be left out), or use different names",
            "Helper#help: Helper is no bean, so @RedisBulkhead guards nothing here. Add a scope such as @ApplicationScoped",
            "Reports#hidden: the method is private and cannot be guarded by @RedisBulkhead."
                    + " Make it package-private or more visible",
            "Reports#later: @RedisBulkhead cannot see when an execution of this method ends, because it returns"
                    + " java.util.concurrent.Future. Return Uni, Multi, CompletionStage, CompletableFuture, or the plain value",
            "Reports#limitless: @RedisBulkhead(name = \"limitless\"): permits are not stated. State them in the annotation,"
                    + " or set quarkus.redis-bulkhead.\"limitless\".permits",
            "Reports#nameless: @RedisBulkhead: name must not be blank, but is ''",
            "Reports#soon: @RedisBulkhead(name = \"soon\"): expire must be a duration such as 30s, 5m or PT30S, but is 'soon'",
            "quarkus.redis-bulkhead.\"reports\".permits: permits must be at least 1, but is -1")
            .overrideConfigKey("quarkus.redis-bulkhead.\"reports\".permits", "-1");

    @Test
    void allMistakesAreReportedTogether() {
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
