package io.quarkiverse.redisbulkhead.entrypoints;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;

import org.jboss.resteasy.reactive.RestQuery;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import dev.langchain4j.service.UserMessage;
import io.quarkiverse.langchain4j.RegisterAiService;
import io.quarkiverse.redisbulkhead.BulkheadCall;
import io.quarkiverse.redisbulkhead.BulkheadFullException;
import io.quarkiverse.redisbulkhead.BulkheadKey;
import io.quarkiverse.redisbulkhead.BulkheadKeyResolver;
import io.quarkiverse.redisbulkhead.Permit;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkiverse.redisbulkhead.ResolvedKey;
import io.quarkus.test.common.TestResourceScope;
import io.quarkus.test.common.WithTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.infrastructure.Infrastructure;

/** Methods of AI services, which Quarkus LangChain4j implements, as in model-calls.adoc. */
@QuarkusTest
@WithTestResource(value = ModelServer.class, scope = TestResourceScope.GLOBAL)
class AiServiceTest extends EntryPointTestBase {

    private static final int OK = 200;
    private static final int FULL = 429;

    private final HttpClient client = HttpClient.newHttpClient();

    ModelServer model;

    @Inject
    Translator translator;

    @BeforeEach
    void shutModel() {
        model.shut();
    }

    @AfterEach
    void openModel() {
        model.open();
    }

    @Test
    void streamHoldsItsPermitsUntilTheLastToken() throws Exception {
        Answer answer = ask("acme");

        assertThat(answer.token()).isEqualTo("first");
        assertThat(holders("model")).containsExactly("Assistant#answer");
        assertThat(ask("acme").status()).as("of the same tenant").isEqualTo(FULL);
        model.open();

        assertThat(answer.token()).isEqualTo("last");
        assertThat(answer.token()).as("at the end").isNull();
        assertThat(holders("model")).as("when the client has its response").isEmpty();
        assertThat(model.prompts()).as("a key is a variable of the prompt").containsExactly("acme asks: Why?");
    }

    @Test
    void cancelledStreamReleasesItsPermits() throws Exception {
        Answer answer = ask("acme");
        assertThat(answer.token()).isEqualTo("first");

        answer.cancel();

        awaitNoHolder("model");
        Answer next = ask("acme");
        assertThat(next.token()).isEqualTo("first");
        next.cancel();
    }

    @Test
    void serverSentEventsReplaceTheRejection() throws Exception {
        try (Permit all = bulkheads.semaphore("model").tryAcquire(4).orElseThrow()) {
            assertThat(ask("acme").status()).isEqualTo(FULL);
            assertThat(get("ai/events?tenant=acme").token()).isEqualTo("data:busy");
            assertThat(model.prompts()).isEmpty();
        }
    }

    @Test
    void interfaceAnnotationWithAResolver() throws Exception {
        CompletableFuture<String> german = CompletableFuture.supplyAsync(() -> translator.translate("de: yes"));
        await().atMost(20, TimeUnit.SECONDS).until(() -> model.prompts().size() == 1);

        assertThatThrownBy(() -> translator.translate("de: no")).isInstanceOf(BulkheadFullException.class);
        CompletableFuture<String> french = CompletableFuture.supplyAsync(() -> translator.translate("fr: yes"));
        await().atMost(20, TimeUnit.SECONDS).until(() -> model.prompts().size() == 2);
        model.open();

        assertThat(german.get(20, TimeUnit.SECONDS)).isEqualTo("first last");
        assertThat(french.get(20, TimeUnit.SECONDS)).isEqualTo("first last");
    }

    private Answer ask(String tenant) throws Exception {
        return get("ai?tenant=" + tenant);
    }

    private Answer get(String path) throws Exception {
        return new Answer(client.send(HttpRequest.newBuilder(server.resolve(path)).build(), BodyHandlers.ofInputStream()));
    }

    /** The tokens of a response as they arrive. */
    private static final class Answer {

        private final HttpResponse<InputStream> response;
        private final BufferedReader lines;

        Answer(HttpResponse<InputStream> response) {
            this.response = response;
            this.lines = new BufferedReader(new InputStreamReader(response.body()));
        }

        int status() {
            return response.statusCode();
        }

        String token() throws Exception {
            assertThat(status()).isEqualTo(OK);
            return lines.readLine();
        }

        void cancel() throws Exception {
            lines.close();
        }
    }

    // tag::service[]
    @RegisterAiService
    public interface Assistant {

        @UserMessage("{tenant} asks: {question}")
        @RedisBulkhead(name = "model-of-tenant", permits = 1)
        @RedisBulkhead(name = "model", permits = 4)
        Multi<String> answer(@BulkheadKey("model-of-tenant") String tenant, String question);

        @UserMessage("Summarize this: {document}")
        @RedisBulkhead(name = "model", permits = 4, weight = 3)
        String summarize(String document);
    }
    // end::service[]

    @Path("ai")
    public static class Questions {

        @Inject
        Assistant assistant;

        @GET
        @Produces(MediaType.TEXT_PLAIN)
        public Multi<String> answer(@RestQuery String tenant) {
            return assistant.answer(tenant, "Why?");
        }

        // tag::events[]
        @GET
        @Path("events")
        @Produces(MediaType.SERVER_SENT_EVENTS)
        public Multi<String> events(@RestQuery String tenant) {
            return assistant.answer(tenant, "Why?")
                    .onFailure(BulkheadFullException.class).recoverWithItem("busy");
        }
        // end::events[]
    }

    @ApplicationScoped
    @RegisterAiService
    @RedisBulkhead(name = "keyed translations", permits = 1, keyResolver = Language.class)
    public interface Translator {

        String translate(String text);
    }

    @ApplicationScoped
    public static class Language implements BulkheadKeyResolver {

        @Override
        public ResolvedKey resolve(BulkheadCall call) {
            return ResolvedKey.of(call.arguments().get(0).toString().substring(0, 2));
        }
    }

    @ApplicationScoped
    @RegisterAiService
    public interface Adviser {

        String advise(String question);
    }

    @ApplicationScoped
    public static class Advisor {

        @Inject
        Adviser adviser;

        // tag::bean[]
        @RedisBulkhead(name = "advice", permits = 1)
        public Uni<String> advise(String question) {
            return Uni.createFrom().item(() -> adviser.advise(question))
                    .runSubscriptionOn(Infrastructure.getDefaultWorkerPool());
        }
        // end::bean[]
    }
}
