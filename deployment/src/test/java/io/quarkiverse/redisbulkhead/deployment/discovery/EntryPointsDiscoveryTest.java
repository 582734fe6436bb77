package io.quarkiverse.redisbulkhead.deployment.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.eclipse.microprofile.faulttolerance.exceptions.BulkheadException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.deployment.OptionalExtensions;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations;
import io.quarkiverse.redisbulkhead.runtime.definition.Declarations.MethodDeclaration;
import io.quarkus.scheduler.Scheduled;
import io.quarkus.scheduler.Scheduled.ConcurrentExecution;
import io.quarkus.test.QuarkusUnitTest;
import io.quarkus.websockets.next.OnBinaryMessage;
import io.quarkus.websockets.next.OnError;
import io.quarkus.websockets.next.OnTextMessage;
import io.quarkus.websockets.next.WebSocket;
import io.smallrye.mutiny.Multi;
import io.vertx.core.buffer.Buffer;

/** Classes whose scope Quarkus adds are beans like any other. */
class EntryPointsDiscoveryTest {

    @RegisterExtension
    static final QuarkusUnitTest APPLICATION = new QuarkusUnitTest()
            .setForcedDependencies(OptionalExtensions.of(OptionalExtensions.SCHEDULER, OptionalExtensions.WEB_SOCKETS))
            .withApplicationRoot(jar -> jar.addClasses(OptionalExtensions.class, Resource.class, Api.class, Jobs.class,
                    Silent.class, Answering.class))
            .overrideConfigKey("quarkus.redis-bulkhead.decided.on-full", "skip")
            .setLogRecordPredicate(line -> line.getLoggerName().endsWith("GuardProcessor"))
            .assertLogRecords(lines -> assertThat(lines).extracting(line -> line.getMessage()).containsExactlyInAnyOrder(
                    "RBH037 " + Jobs.class.getName() + "#nightly: a run that begins while the only permit of"
                            + " @RedisBulkhead(name = \"nightly\") is taken is skipped, even if the previous run of this instance"
                            + " has it. Set concurrentExecution = SKIP in @Scheduled if runs must not overlap within an instance,"
                            + " or decide for all calls with quarkus.redis-bulkhead.\"nightly\".on-full, which is reject or skip."
                            + " See https://docs.quarkiverse.io/quarkus-redis-bulkhead/dev/errors.html#RBH037",
                    "RBH039 " + Silent.class.getName() + "#stream: it returns Multi, and no @OnError method takes a rejection."
                            + " WebSockets Next would log an error and tell the client nothing. Add a method with @OnError and a"
                            + " parameter of type BulkheadFullException or BulkheadException to the endpoint."
                            + " See https://docs.quarkiverse.io/quarkus-redis-bulkhead/dev/errors.html#RBH039"));

    @Inject
    Declarations declarations;

    @Test
    void restResourcesAndScheduledMethods() {
        assertThat(declarations.methods()).extracting(MethodDeclaration::label)
                .containsExactlyInAnyOrder("Resource#render", "Resource#fromApi", "Jobs#nightly", "Jobs#decided",
                        "Jobs#apart", "Jobs#several", "Silent#stream", "Silent#single", "Answering#stream");
    }

    public interface Api {

        @GET
        @Path("from-api")
        String fromApi();
    }

    @Path("resource")
    public static class Resource implements Api {

        @GET
        @RedisBulkhead(name = "reports", permits = 1)
        public String render() {
            return "";
        }

        @Override
        @RedisBulkhead(name = "reports", permits = 1)
        public String fromApi() {
            return "";
        }
    }

    @WebSocket(path = "/silent")
    public static class Silent {

        @OnTextMessage
        @RedisBulkhead(name = "silent", permits = 1)
        Multi<String> stream(String message) {
            return Multi.createFrom().empty();
        }

        @OnBinaryMessage
        @RedisBulkhead(name = "silent", permits = 1)
        String single(Buffer message) {
            return "";
        }

        @OnError
        void unrelated(IllegalStateException failure) {
        }
    }

    @WebSocket(path = "/answering")
    public static class Answering {

        @OnTextMessage
        @RedisBulkhead(name = "answering", permits = 1)
        Multi<String> stream(String message) {
            return Multi.createFrom().empty();
        }

        @OnError
        String full(BulkheadException rejection) {
            return "full";
        }
    }

    public static class Jobs {

        @Scheduled(every = "24h", delayed = "24h")
        @RedisBulkhead(name = "nightly", permits = 1)
        void nightly() {
        }

        @Scheduled(every = "24h", delayed = "24h")
        @RedisBulkhead(name = "decided", permits = 1)
        void decided() {
        }

        @Scheduled(every = "24h", delayed = "24h", concurrentExecution = ConcurrentExecution.SKIP)
        @RedisBulkhead(name = "apart", permits = 1)
        void apart() {
        }

        @Scheduled(every = "24h", delayed = "24h")
        @RedisBulkhead(name = "several", permits = 2)
        void several() {
        }
    }
}
