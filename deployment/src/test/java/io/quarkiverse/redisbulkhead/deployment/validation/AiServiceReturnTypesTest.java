package io.quarkiverse.redisbulkhead.deployment.validation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CompletionStage;

import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.langchain4j.RegisterAiService;
import io.quarkiverse.redisbulkhead.RedisBulkhead;
import io.quarkus.maven.dependency.Dependency;
import io.quarkus.test.QuarkusUnitTest;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;

/** With the real Quarkus LangChain4j, which would fail the build itself, without suggesting a fix. */
class AiServiceReturnTypesTest {

    private static final String WAY_OUT = ". Return the plain value or Multi, and put @RedisBulkhead on the method of a bean"
            + " that calls it and returns ";

    private static final Mistakes MISTAKES = new Mistakes(AiServiceReturnTypesTest.class,
            new Class<?>[] { Base.class, Assistant.class, Whole.class },
            "RBH036 Base#stage: an AI service cannot return CompletionStage" + WAY_OUT + "CompletionStage",
            "RBH036 Whole#uni: an AI service cannot return Uni" + WAY_OUT + "Uni");

    @RegisterExtension
    static final QuarkusUnitTest APPLICATION = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(MISTAKES.classes()))
            .setForcedDependencies(List.of(Dependency.of("io.quarkiverse.langchain4j", "quarkus-langchain4j-core",
                    System.getProperty("langchain4j.version"))))
            .assertException(thrown -> assertThat(MISTAKES.in(Mistakes.reportedBy(thrown), List.of(MISTAKES)))
                    .containsExactly(MISTAKES.lines()));

    @Test
    void buildFailsForTypesThatLangChain4jDoesNotSupport() {
        Assertions.fail();
    }

    interface Base {
        @RedisBulkhead(name = "a", permits = 1)
        CompletionStage<String> stage(String question);
    }

    @RegisterAiService
    interface Assistant extends Base {
        @RedisBulkhead(name = "a", permits = 1)
        Multi<String> stream(String question);

        Uni<String> unguarded(String question);
    }

    @RegisterAiService
    @RedisBulkhead(name = "a", permits = 1)
    interface Whole {
        Uni<String> uni(String question);

        default Uni<String> byDefault() {
            return uni("");
        }
    }
}
