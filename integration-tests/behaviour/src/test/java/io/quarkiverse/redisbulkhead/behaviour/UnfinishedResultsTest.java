package io.quarkiverse.redisbulkhead.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.StreamingOutput;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.runtime.guard.UnfinishedResults;
import io.quarkiverse.redisbulkhead.testredis.CapturedLog;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;

/** Results whose work is not done when the permit goes back are reported once per method, if the build cannot see them. */
@QuarkusTest
class UnfinishedResultsTest extends BehaviourTestBase {

    @Inject
    Guarded guarded;

    private final CapturedLog warnings = new CapturedLog(UnfinishedResults.class);

    @AfterEach
    void stopLogging() {
        warnings.close();
    }

    @Test
    void finishedResultsAreNotReported() {
        for (Object finished : new Object[] { "text", List.of(1), CompletableFuture.completedFuture("done"),
                new ByteArrayInputStream(new byte[0]) }) {
            assertThat(guarded.finished(finished)).isSameAs(finished);
        }
        assertThat(guarded.finished(null)).isNull();
        assertThat(guarded.response(Response.ok("text").build()).getEntity()).isEqualTo("text");
        Response closed = Response.ok("text").build();
        closed.close();
        assertThat(guarded.response(closed)).isSameAs(closed);
        assertThat(warnings.texts()).isEmpty();
    }

    @Test
    void asynchronousResultIsReportedOnce() {
        guarded.unfinished(Uni.createFrom().item("later"));
        guarded.unfinished(Stream.of("lazy"));

        assertThat(warnings.texts()).singleElement().asString()
                .startsWith("Guarded#unfinished returned Uni, whose")
                .contains("whose work is not done yet, and the permit of bulkhead 'unfinished' has gone back already")
                .contains("Declare Uni, Multi or CompletionStage");
    }

    @Test
    void responseThatIsStillToBeWrittenIsReported() {
        StreamingOutput output = stream -> stream.write(1);
        guarded.response(Response.ok(output).build());

        assertThat(warnings.texts()).singleElement().asString().startsWith("Guarded#response returned StreamingOutput, whose");
    }

    /** As the result of a Uni or stage, too. */
    @Test
    void resultThatComesLaterIsReported() throws Exception {
        guarded.uni(Response.ok(Multi.createFrom().items(1, 2)).build()).await().atMost(LONG);
        guarded.stage(Stream.of("lazy")).get(LONG.toSeconds(), TimeUnit.SECONDS);

        assertThat(warnings.texts()).satisfiesExactly(
                uni -> assertThat(uni).startsWith("Guarded#uni returned Multi, whose"),
                stage -> assertThat(stage).startsWith("Guarded#stage returned BaseStream, whose"));
    }

    @ApplicationScoped
    static class Guarded {

        @RedisBulkhead(name = "unfinished", permits = 1)
        Uni<Response> uni(Response result) {
            return Uni.createFrom().item(result);
        }

        @RedisBulkhead(name = "unfinished", permits = 1)
        CompletableFuture<Object> stage(Object result) {
            return CompletableFuture.completedFuture(result);
        }

        @RedisBulkhead(name = "unfinished", permits = 1)
        Object finished(Object result) {
            return result;
        }

        @RedisBulkhead(name = "unfinished", permits = 1)
        Object unfinished(Object result) {
            return result;
        }

        @RedisBulkhead(name = "unfinished", permits = 1)
        Response response(Response result) {
            return result;
        }
    }
}
