package io.quarkiverse.redisbulkhead.codestart;

import static io.quarkus.devtools.codestarts.quarkus.QuarkusCodestartCatalog.Language.JAVA;
import static io.quarkus.devtools.codestarts.quarkus.QuarkusCodestartCatalog.Language.KOTLIN;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.bootstrap.resolver.maven.BootstrapMavenException;
import io.quarkus.bootstrap.resolver.maven.MavenArtifactResolver;
import io.quarkus.devtools.codestarts.quarkus.QuarkusCodestartCatalog.Language;
import io.quarkus.devtools.project.QuarkusProjectHelper;
import io.quarkus.devtools.testing.codestarts.QuarkusCodestartTest;

/** The output of {@code quarkus create app -x redis-bulkhead}. */
class RedisBulkheadCodestartTest {

    private static final String EXTENSION = "io.quarkiverse.redisbulkhead:quarkus-redis-bulkhead";
    private static final Path DOCS = Path.of("..", "..", "docs");

    @RegisterExtension
    static final QuarkusCodestartTest CODESTART = QuarkusCodestartTest.builder()
            .languages(JAVA, KOTLIN)
            .packageName("org.acme.reports")
            .setupStandaloneExtensionTest(EXTENSION)
            .build();

    // The tools look only in the local repository, which has an old version of the extension or none.
    @BeforeAll
    static void useTheExtensionOfThisBuild() throws BootstrapMavenException {
        QuarkusProjectHelper.setArtifactResolver(MavenArtifactResolver.builder().setWorkspaceDiscovery(true).build());
    }

    @Test
    void resourceMatchesGettingStarted() throws IOException {
        assertThat(generated(JAVA, "src/main/java/org/acme/reports/ReportResource.java"))
                .isEqualTo(withoutJavadoc(DOCS.resolve("modules/ROOT/examples/org/acme/reports/ReportResource.java")));
    }

    @Test
    void testMatchesGettingStarted() throws IOException {
        assertThat(generated(JAVA, "src/test/java/org/acme/reports/ReportResourceTest.java"))
                .isEqualTo(withoutJavadoc(DOCS.resolve("src/test/java/org/acme/reports/ReportResourceTest.java")));
    }

    @Test
    void generatesKotlin() throws IOException {
        assertThat(generated(KOTLIN, "src/main/kotlin/org/acme/reports/ReportResource.kt"))
                .startsWith("package org.acme.reports\n").contains("@RedisBulkhead(name = \"reports\", permits = 5)");
        assertThat(generated(KOTLIN, "src/test/kotlin/org/acme/reports/ReportResourceTest.kt"))
                .startsWith("package org.acme.reports\n").contains("TestBulkhead.of(bulkheads.semaphore(\"reports\"))");
    }

    @Test
    void dependsOnTheExtensionAndItsTestSupport() throws IOException {
        assertThat(generated(JAVA, "pom.xml"))
                .contains("<artifactId>quarkus-redis-bulkhead</artifactId>", "<artifactId>quarkus-rest</artifactId>")
                .containsPattern("<artifactId>quarkus-redis-bulkhead-test-support</artifactId>\\s*"
                        + "<version>[^$<]+</version>\\s*<scope>test</scope>");
    }

    @Test
    void packagedApplicationUsesALocalRedis() throws IOException {
        assertThat(generated(JAVA, "src/main/resources/application.properties").lines())
                .contains("%prod.quarkus.redis.hosts=redis://localhost:6379", "%prod.quarkus.shutdown.timeout=10s");
    }

    @Test
    void readmeExplainsHowToTryIt() throws IOException {
        assertThat(generated(JAVA, "README.md")).contains("### Redis Bulkhead", "http://localhost:$port/reports",
                "%{http_code}");
    }

    /** Requires the extension in the local repository, and is slow. */
    @Test
    @EnabledIfSystemProperty(named = "codestart.build", matches = "true")
    void buildsAndPassesItsTest() throws IOException {
        CODESTART.buildAllProjects();
    }

    private static String generated(Language language, String file) throws IOException {
        return Files.readString(CODESTART.getProjectWithRealDataDir(language).resolve(file));
    }

    private static String withoutJavadoc(Path sample) throws IOException {
        return Files.readString(sample).replaceAll("(?m)^/\\*\\*.*\\*/\\n", "");
    }
}
